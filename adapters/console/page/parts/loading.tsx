import type { ComponentChildren } from 'preact';
import { loadKey, type RoomPlace } from '../state/model.ts';
import { loadAgain, loadEarlier } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Act } from './controls.tsx';
import { useFailure } from './notice.tsx';

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
    return (
      <div class="load-failed">
        <p>{loaded.failed}</p>
        {loaded.gone && back ? (
          <button type="button" class="button" onClick={back.go}>
            {back.label}
          </button>
        ) : (
          <button type="button" class="button" onClick={() => loadAgain(key)}>
            Try again
          </button>
        )}
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

interface EarlierProps {
  readonly place: RoomPlace;
  /** Id of the oldest message on the page. */
  readonly before: string | undefined;
}

/** A button that loads the messages before the oldest one on the page. */
export function Earlier({ place, before }: EarlierProps) {
  const more = useSelect((state) => state.earlier[loadKey(place.room, place.thread)] ?? false);
  const [failure, setFailure] = useFailure();
  if (!more || before === undefined) return null;
  const run = async () => setFailure(await loadEarlier(place, before));
  return (
    <div class="earlier">
      <Act class="button small" busy="Fetching" run={run}>
        Show earlier messages
      </Act>
      {failure && <p class="quiet">{failure}</p>}
    </div>
  );
}
