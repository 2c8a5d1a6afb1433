/** Plays a load: people ask, act on their questions, and machines fail. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Run } from '../../fakes/history/history.ts';
import { seeded } from '../../fakes/seeded.ts';
import { createCrowd } from './crowd.ts';
import { breakOne, type Machines } from './machine-faults.ts';
import type { LoadOptions } from './options.ts';
import type { Ask } from './people.ts';
import { planOf } from './plan.ts';

/** Mean pause between two questions in milliseconds, if the bridge keeps up. */
const PAUSE_MS = 60;
/** Number of questions from one fault of a machine to the next. */
const FAULT_EVERY = 70;
/** Minimum number of machine faults. A short run has fewer questions between two such faults, to reach this number. */
const LEAST_FAULTS = 3;

export interface Scenario {
  readonly ask: Ask;
  /** Called after each question with its number, from 0. */
  readonly after: (at: number, random: () => number) => void;
  /** Ends the faults of channels and of the platform, so that the last questions can be answered. */
  readonly mend: () => void;
}

/** Resolves when all people have done what they want. */
export async function play(
  machines: Machines & Pick<Run, 'platform'>,
  { events, seed, atOnce }: Pick<LoadOptions, 'events' | 'seed' | 'atOnce'>,
  { ask, after, mend }: Scenario,
): Promise<void> {
  const random = seeded(seed);
  const crowd = createCrowd(machines);
  const every = Math.min(FAULT_EVERY, Math.ceil(events / (LEAST_FAULTS + 1)));
  let trouble: Promise<void> = Promise.resolve();
  let busy = false;
  for (const [at, planned] of planOf(events, seeded(seed + 1)).entries()) {
    crowd.add(ask(planned), planned);
    after(at, random);
    if (at % every === every - 1 && !busy) {
      busy = true;
      trouble = breakOne(machines, random).finally(() => {
        busy = false;
      });
    }
    await pause(random() * 2 * PAUSE_MS);
    await crowd.below(atOnce);
    if (!busy) await trouble;
  }
  await trouble;
  mend();
  await crowd.ended();
}
