/**
 * Limits the refused acts that the audit records one by one. A person can repeat a refused act, such as the press of a
 * button, any number of times, and must not be able to fill the audit.
 */

import type { Clock } from '../core/clock.ts';
import type { NoteAct } from '../core/stores/audit.ts';
import { createCache } from '../kit/cache.ts';

/** Maximum refused acts of one person that are recorded one by one in a period. */
const ONE_BY_ONE = 30;
/** Length of the period in which a person's refused acts are counted, in milliseconds. It begins with the first act. */
const PERIOD_MS = 60_000;
/** Maximum people that are counted at the same time. */
const MAX_PEOPLE = 10_000;

const MORE = 'Further refused acts of this person within the same minute are not recorded.';

/** Returns a function that records every act, except refused acts of a person beyond the maximum. */
export function limitRefused(note: NoteAct, clock: Clock): NoteAct {
  const counts = createCache<{ acts: number }>({ clock, max: MAX_PEOPLE, ttlMs: PERIOD_MS });
  return async (act) => {
    if (act.outcome !== 'refused') return note(act);
    const key = JSON.stringify([act.channel, act.tenant, act.person]);
    const count = counts.get(key) ?? { acts: 0 };
    if (count.acts === 0) counts.set(key, count);
    count.acts += 1;
    if (count.acts <= ONE_BY_ONE) return note(act);
    if (count.acts === ONE_BY_ONE + 1) await note({ ...act, detail: MORE });
  };
}
