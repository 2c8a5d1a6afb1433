import { useEffect, useState } from 'preact/hooks';
import { loadKey, type Place } from '../state/model.ts';
import { loadEarlier } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Act } from './controls.tsx';

interface EarlierProps {
  readonly place: Place & { readonly room: string };
  /** The oldest message that is shown. */
  readonly before: string | undefined;
}

/** A page holds the newest messages only; this fetches the ones before. */
export function Earlier({ place, before }: EarlierProps) {
  const more = useSelect((state) => state.earlier[loadKey(place.room, place.thread)] ?? false);
  const [failure, setFailure] = useState<string>();
  const reconnects = useSelect((state) => state.reconnects);
  useEffect(() => setFailure(undefined), [reconnects]);
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
