import type { ConsoleEvent, ConsoleState, MessagePlace, RoomPage, RoomView, ThreadPage } from '../../wire.ts';
import { after } from '../clock.ts';
import { api, Refusal, sentenceOf, watchRequests } from '../net/api.ts';
import { Tabs } from '../net/tabs.ts';
import { addressOf, connectingOf, placeOf } from './address.ts';
import {
  goTo,
  withEarlier,
  withLink,
  withLoaded,
  withoutFailures,
  withPage,
  withPerson,
  withRenewed,
  withSetup,
} from './changes.ts';
import { fold } from './fold.ts';
import { recall, remember } from './memory.ts';
import { DIRECT, loadKey, type Panel, type Place, type RoomPlace } from './model.ts';
import { operatingOf } from './operate.ts';
import { loadUnread } from './reading.ts';
import { takeSignInFailure } from './returning.ts';
import { isOpenTo, messagesOf, openRoom, roomOf } from './select.ts';
import { getState, orToast, show, showToast, subscribe, update } from './store.ts';

let tabs: Tabs | undefined;

interface EventWatcher {
  /** Called with events after they were applied. */
  readonly events: (events: readonly ConsoleEvent[]) => void;
  /** True if the page needs events even while it is hidden. */
  readonly awaits: () => boolean;
}

let watcher: EventWatcher = { events: () => {}, awaits: () => false };

/** Starts the page: loads the state, opens the room in the address, and connects to the events. */
export async function begin(): Promise<void> {
  tabs?.end();
  try {
    const state = await api.state();
    const who = choosePerson(state);
    const place = choosePlace(state.rooms, who, placeOf(location.hash));
    update((now) => withSetup(now, state, who, place));
    show({ connecting: connectingOf(location.hash), operating: operatingOf(location.hash) });
    keepAddress('replace');
    show({ panel: panelOf(history.state) });
    tabs = follow(state.me);
    void loadUnread();
    // The browser may have gone back to a sign-in that was used, and is signed in all the same.
    takeSignInFailure();
  } catch (thrown) {
    const needsSignIn = thrown instanceof Refusal && thrown.status === 401;
    show(needsSignIn ? { phase: 'sign-in' } : { phase: 'failed', failure: sentenceOf(thrown) });
  }
}

/**
 * Connects the page to the browser's history, and loads missing messages after each change. Must be called only once.
 */
export function attach(wanted: EventWatcher): void {
  watcher = wanted;
  subscribe(loadWhatIsMissing);
  watchRequests({
    slow: (count) => show({ slow: count > 0 }),
    reached: () => update(withoutFailures),
  });
  window.addEventListener('popstate', () => {
    if (goingBack) return wentBack();
    const { rooms, who } = getState();
    show({ connecting: connectingOf(location.hash), operating: operatingOf(location.hash) });
    update((now) => goTo(now, choosePlace(rooms, who, placeOf(location.hash))));
    show({ panel: panelOf(history.state) });
  });
}

/** True from `history.back()` until the browser has gone back. A history entry added in between would be lost. */
let goingBack = false;

/** Opens the panel as an entry of the browser's history, so that Back closes the panel before it leaves the room. */
export function openPanel(panel: Panel): void {
  const open = getState().panel !== undefined;
  show({ panel });
  if (goingBack) return;
  if (open) history.replaceState({ panel }, '');
  else history.pushState({ panel }, '');
}

export function closePanel(): void {
  show({ panel: undefined });
  if (goingBack || !panelOf(history.state)) return;
  goingBack = true;
  history.back();
}

/** Adds the history entries that had to wait until the browser had gone back. */
function wentBack(): void {
  goingBack = false;
  keepAddress('push');
  const { panel } = getState();
  if (panel) history.pushState({ panel }, '');
}

/** Returns the panel that a history entry names. */
function panelOf(step: unknown): Panel | undefined {
  return typeof step === 'object' && step !== null && 'panel' in step ? (step.panel as Panel) : undefined;
}

function follow(person: string | undefined): Tabs {
  return new Tabs({
    person,
    seq: () => getState().seq,
    link: (link) => update((now) => withLink(now, link)),
    events: (events) => {
      update((now) => events.reduce(fold, now));
      watcher.events(events);
      if (events.some((event) => event.type === 'reload')) renew();
    },
    isCurrent: () => isCurrent(person),
    awaits: () => watcher.awaits(),
    changed: () => void begin(),
  });
}

/** Resolves with true if `person` is still signed in, and the server's event numbers have not started over. */
async function isCurrent(person: string | undefined): Promise<boolean> {
  const known = getState().seq;
  try {
    const { me, seq } = await api.state();
    return me === person && seq >= known;
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.status === 401) return false;
    throw thrown;
  }
}

const RENEW_AGAIN_MS = 1_000;

/** Loads the visible room and thread again. Repeats this until it succeeds. Replaces both at once to avoid flicker. */
function renew(): void {
  const { room, thread } = getState().place;
  const pages: Promise<RoomPage | ThreadPage>[] = room ? [api.room(room)] : [];
  if (room && thread) pages.push(api.thread(room, thread));
  Promise.all([api.state(), Promise.allSettled(pages)])
    .then(([state, settled]) => {
      const arrived = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      update((now) => withRenewed(now, state, arrived));
      void loadUnread();
    })
    .catch(() => after(RENEW_AGAIN_MS, () => getState().stale && renew()));
}

/** Loads the open room and thread, unless they are loaded or loading. */
function loadWhatIsMissing(): void {
  const { phase, stale, place } = getState();
  const room = openRoom(getState())?.id;
  if (phase !== 'ready' || stale || !room) return;
  load(loadKey(room), () => api.room(room));
  const { thread } = place;
  if (thread) load(loadKey(room, thread), () => api.thread(room, thread));
}

function load(key: string, fetchPage: () => Promise<RoomPage | ThreadPage>): void {
  if (getState().loaded[key] !== undefined) return;
  update((now) => withLoaded(now, key, 'asked'));
  fetchPage()
    .then((page) => update((now) => withPage(now, page)))
    .catch((thrown: unknown) => {
      const gone = thrown instanceof Refusal && thrown.status === 404;
      update((now) => withLoaded(now, key, { failed: sentenceOf(thrown), gone }));
    });
}

/** Loads messages that are older than the message `before`, or the newest. Throws if the server refuses it. */
export async function loadEarlier({ room, thread }: RoomPlace, before?: string): Promise<void> {
  const page = await (thread ? api.thread(room, thread, before) : api.room(room, before));
  update((now) => withEarlier(now, page));
}

/** Maximum pages of older messages that are loaded to show a message. The page holds 2,000 messages of a room. */
const FOUND_PAGES = 9;

/** Opens the room or thread of a message, and scrolls to the message. Loads older messages until it is among them. */
export function openMessage(message: MessagePlace): Promise<void> {
  const { id, room, thread } = message;
  const place = thread === DIRECT ? { room } : { room, thread };
  go(place);
  show({ found: { id } });
  const here = () => messagesOf(getState(), room).filter((one) => one.thread === thread);
  const isHere = () => here().some((one) => one.id === id);
  return orToast(async () => {
    for (let pages = 0; pages < FOUND_PAGES && !isHere(); pages += 1)
      await loadEarlier(place, here().find((one) => one.id !== thread)?.id);
    if (!isHere())
      showToast({ tone: 'info', text: 'That message is too old to be shown here, or it was deleted.' });
  });
}

export function go(place: Place): void {
  update((now) => goTo(now, place));
  keepAddress('push');
}

/** Switches to another person. If a direct room is open, opens that person's direct room with the same agent. */
export function speakAs(who: string): void {
  const { rooms, place } = getState();
  remember('who', who);
  update((now) => withPerson(now, who));
  void loadUnread();
  const room = roomOf(getState(), place.room);
  if (room?.kind !== 'direct') return;
  const twin = rooms.find((one) => one.kind === 'direct' && one.person === who && one.agent === room.agent);
  go(choosePlace(rooms, who, twin ? { room: twin.id } : {}));
}

/**
 * Sends the browser to the sign-in of a channel's chat platform, to connect the person's id there to their account. If
 * that fails, shows why.
 */
export function connect(channel: string): Promise<void> {
  return orToast(async () => location.assign((await api.connect(channel)).address));
}

/**
 * Removes a link that was confirmed, or that cannot be confirmed, from the page's address, so that a reload does not
 * try to confirm it again.
 */
export function forgetLink(): void {
  history.replaceState(null, '', '#/');
}

/** Leaves the page that confirms a link, and opens the console. */
export function leaveLink(): void {
  show({ connecting: undefined });
  keepAddress('replace');
}

/** Opens an address of the operator's page. */
export function operate(address: string): void {
  show({ operating: address });
  history.pushState(null, '', address);
}

/** Leaves the operator's page, and opens the console. */
export function leaveOperating(): void {
  show({ operating: undefined });
  keepAddress('push');
}

function keepAddress(how: 'push' | 'replace'): void {
  const { place, connecting, operating } = getState();
  const address = addressOf(place);
  if (goingBack || connecting !== undefined || operating !== undefined || address === location.hash) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}

/** Ends the session and shows the sign-in. */
export function signOut(): Promise<void> {
  return orToast(async () => {
    await api.signOut().catch((thrown: unknown) => {
      if (!(thrown instanceof Refusal && thrown.status === 401)) throw thrown;
    });
    tabs?.endAll();
    location.reload();
  });
}

function choosePerson(state: ConsoleState): string {
  if (state.me !== undefined) return state.me;
  const last = recall('who');
  return (state.people.find((person) => person.id === last) ?? state.people[0])?.id ?? '';
}

/**
 * Returns the wanted room and thread, or the first room if none is wanted. The result may not exist; the page then says
 * so.
 */
function choosePlace(rooms: readonly RoomView[], who: string, wanted: Place): Place {
  if (wanted.room) return wanted;
  const first = rooms.find((room) => isOpenTo(room, who));
  return first ? { room: first.id } : {};
}
