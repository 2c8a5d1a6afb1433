/** Waits until a run is over. */

import { settled } from '../../fakes/history/settled.ts';
import type { Town } from './town.ts';

const PATIENCE_MS = 60_000;
/** Breaches that time may mend. */
const PASSING = ['terminal', 'thinking', 'text', 'stray', 'retry'];

/** Resolves when no reply is in progress; at the latest after a minute, so that the checker reports what is open. */
export const quiet = (town: Town): Promise<void> =>
  settled(town, PATIENCE_MS, ({ rule }) => PASSING.includes(rule));
