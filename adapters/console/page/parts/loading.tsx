import type { ComponentChildren } from 'preact';
import { withLoaded } from '../state/changes.ts';
import { loadKey, type RoomPlace } from '../state/model.ts';
import { loadEarlier } from '../state/session.ts';
import { update, useSelect } from '../state/store.ts';
import { Act } from './controls.tsx';
import { useWork } from './notice.tsx';

interface LoadStateProps {
  readonly place: RoomPlace;
  readonly empty: boolean;
  /** Link to another room, shown if the open room or thread does not exist. */
  readonly back?: { readonly label: string; readonly go: () => void };
  readonly children: ComponentChildren;
}

/** Shows grey bars while a room or thread loads, an error with a button if loading failed, otherwise its messages. */
export function LoadState({ place, empty, back, children }: LoadStateProps) {
  const key = loadKey(place.room, place.thread);
  const loaded = useSelect((state) => state.loaded[key]);
  if (loaded === 'known' || (!empty && typeof loaded !== 'object')) return children;
  if (typeof loaded === 'object') {
    const way =
      loaded.gone && back ? back : { label: 'Try again', go: () => update((now) => withLoaded(now, key)) };
    return (
      <div class="load-failed">
        <p>{loaded.failed}</p>
        <button type="button" class="button" onClick={way.go}>
          {way.label}
        </button>
      </div>
    );
  }
  return (
    <div class="skeleton" role="status" aria-label="Loading messages">
      <i />
      <i />
      <i />
    </div>
  );
}

/** A button that loads the messages before the oldest one on the page, whose id is `before`. */
export function Earlier({ place, before }: { place: RoomPlace; before: string | undefined }) {
  const more = useSelect((state) => state.earlier[loadKey(place.room, place.thread)] ?? false);
  const { run, failure } = useWork(() => loadEarlier(place, before));
  if (!more || before === undefined) return null;
  return (
    <div class="earlier">
      <Act class="button small" busy="Fetching" run={run}>
        Show earlier messages
      </Act>
      {failure && <p class="quiet">{failure}</p>}
    </div>
  );
}
