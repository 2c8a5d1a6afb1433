import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { every } from '../clock.ts';
import type { Announcement } from '../state/model.ts';
import { openRoom } from '../state/select.ts';
import { begin, closePanel, go, leaveOperating } from '../state/session.ts';
import { getState, show, useSelect } from '../state/store.ts';
import { CentredForm } from './centred.tsx';
import { focusMessages } from './focus.ts';
import { useShortcuts } from './keys.tsx';
import { LinkPage } from './link-page.tsx';
import { ReceiptPanel } from './receipt-panel.tsx';
import { NoRoom, RoomPane } from './room-view.tsx';
import { Sidebar } from './sidebar.tsx';
import { SignIn } from './sign-in.tsx';
import { SourcesPanel } from './sources-panel.tsx';
import { ThreadPane } from './thread-view.tsx';
import { chunkHook } from './use-chunk.ts';

export function App() {
  return (
    <>
      <Phase />
      <ConnectionLost />
    </>
  );
}

function Phase() {
  const phase = useSelect((state) => state.phase);
  const connecting = useSelect((state) => state.connecting);
  const operating = useSelect((state) => state.operating);
  switch (phase) {
    case 'loading':
      return (
        <main class="centred">
          <p role="status">Opening</p>
        </main>
      );
    case 'sign-in':
      return <SignIn />;
    case 'failed':
      return <Failed />;
    case 'ready':
      if (operating !== undefined) return <Operating address={operating} />;
      return connecting === undefined ? (
        <Console />
      ) : (
        <LinkPage key={JSON.stringify(connecting)} connecting={connecting} />
      );
  }
}

const useOperate = chunkHook(() => import('./operate.tsx'));

/** The operator's page, or why the person may not see it. */
function Operating({ address }: { readonly address: string }) {
  const allowed = useSelect((state) => state.setup?.operates === true);
  const page = useOperate(allowed);
  if (page !== undefined) return <page.Operate address={address} />;
  if (allowed) return <main class="centred" />;
  return (
    <CentredForm title="Operations" onSubmit={leaveOperating}>
      <p role="alert">Only an operator who has signed in can see this page.</p>
      <button type="submit" class="button primary">
        Open the console
      </button>
    </CentredForm>
  );
}

const BEGIN_AGAIN_MS = 5_000;

function Failed() {
  const failure = useSelect((state) => state.failure);
  useEffect(() => every(BEGIN_AGAIN_MS, () => void begin()), []);
  return (
    <CentredForm title="Parley" onSubmit={() => void begin()}>
      <p role="alert">{failure}</p>
      <button type="submit" class="button primary">
        Try again
      </button>
    </CentredForm>
  );
}

function Console() {
  const [menu, setMenu] = useState(false);
  const place = useSelect((state) => state.place);
  const room = useSelect(openRoom);
  const panel = useSelect((state) => state.panel);
  const openMenu = () => setMenu(true);
  const closeMenu = () => setMenu(false);
  useEscape(menu, closeMenu);
  useShortcuts();
  useLayoutEffect(closeMenu, [place.room]);
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: screen readers list links; the address's hash already contains the open room */}
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // Not followed, because its hash would replace the open room in the address.
          event.preventDefault();
          focusMessages();
        }}
      >
        Skip to messages
      </a>
      <div
        class="console"
        data-menu={menu ? 'open' : undefined}
        data-thread={place.thread ? 'open' : undefined}
        data-panel={panel ? 'open' : undefined}
      >
        <Sidebar open={menu} onGo={closeMenu} />
        {menu && <button type="button" class="veil" aria-label="Hide rooms" onClick={closeMenu} />}
        <main id="main">
          <h1 class="unseen">{room ? `Parley, ${room.name}` : 'Parley'}</h1>
          {room ? <RoomPane room={room} onMenu={openMenu} /> : <NoRoom onMenu={openMenu} />}
          {room && place.thread && <ThreadPane room={room} thread={place.thread} />}
          {panel?.kind === 'sources' && <SourcesPanel turn={panel.turn} source={panel.source} />}
          {panel?.kind === 'receipt' && <ReceiptPanel turn={panel.turn} />}
        </main>
      </div>
      <OpenDialog />
      <ToastLine />
      <Announcer />
    </>
  );
}

function useEscape(menu: boolean, closeMenu: () => void): void {
  // Not `useEffect`: a key that is pressed before the paint must find the new listener.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { panel, place, dialog } = getState();
      if (event.key !== 'Escape' || event.defaultPrevented || dialog) return;
      if (menu) closeMenu();
      else if (panel) closePanel();
      else if (place.room && place.thread) go({ room: place.room });
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [menu]);
}

const OpenDialog = () => useSelect((state) => state.dialog);

function ConnectionLost() {
  const lost = useSelect((state) => state.link === 'lost');
  const slow = useSelect((state) => state.slow);
  if (!lost && !slow) return null;
  return (
    <div class="connection-lost" role="status">
      <span class="spinner" aria-hidden="true" />
      {lost
        ? 'The connection is lost. Your text is kept. Reconnecting…'
        : 'The bridge has not responded for 5 seconds. Your text is kept. Still trying…'}
    </div>
  );
}

function ToastLine() {
  const toast = useSelect((state) => state.toast);
  return (
    <div class="toasts" role="status">
      {toast && (
        <div class={`toast ${toast.tone}`}>
          {toast.text}
          {toast.place && (
            <button type="button" onClick={() => toast.place && go(toast.place)}>
              Open
            </button>
          )}
          <button type="button" onClick={() => show({ toast: undefined })}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

/**
 * Two live regions for screen readers. They exist from the start, because only text added later is read out. A modal
 * dialog silences everything outside it, so new lines wait until the dialog is closed.
 */
function Announcer() {
  const all = useSelect((state) => state.announcements);
  const silenced = useSelect((state) => state.dialog !== undefined);
  const visible = useRef(all);
  if (!silenced) visible.current = all;
  const lines = visible.current;
  return (
    <>
      <Region live="polite" lines={lines.filter((one) => !one.urgent)} />
      <Region live="assertive" lines={lines.filter((one) => one.urgent)} />
    </>
  );
}

function Region({ live, lines }: { live: 'polite' | 'assertive'; lines: readonly Announcement[] }) {
  return (
    <div class="unseen" aria-live={live} aria-relevant="additions" aria-atomic={false} data-announcer={live}>
      {lines.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
