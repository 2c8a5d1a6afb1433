/** Events whose repetition would do something else than the first time: ending an answer that came after. */

import type { Keyed } from '../core/stores/keyed.ts';

/** Channels repeat events for minutes. A day is what may be counted on. */
const KNOWN_MS = 24 * 60 * 60_000;
/** Events that are remembered without asking the store. */
const REMEMBERED = 10_000;

/** Does the work unless it was done before. What failed may be done again. */
export type Once = (event: string, work: () => Promise<void>) => Promise<void>;

export function createOnce(state: Keyed): Once {
  const done = new Map<string, Promise<void>>();
  const run = async (key: string, work: () => Promise<void>): Promise<void> => {
    if ((await state.get(key)) === true) return;
    await work();
    await state.set(key, true, KNOWN_MS);
  };
  return (event, work) => {
    const key = `event ${event}`;
    const known = done.get(key);
    if (known !== undefined) return known;
    const running = run(key, work);
    done.set(key, running);
    running.catch(() => done.delete(key));
    const [oldest] = done.keys();
    if (done.size > REMEMBERED && oldest !== undefined) done.delete(oldest);
    return running;
  };
}
