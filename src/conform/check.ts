/** A check of a channel, and what it needs of the rig. */

import type { Rig } from '../kit/rig.ts';
import type { Random } from './random.ts';
import type { Stage } from './stage.ts';

export interface Check {
  /** Stable name, which reports and `--only` use. The part before the period is the suite. */
  readonly id: string;
  /** States what holds if the check passes, as a whole sentence without its period. */
  readonly proves: string;
  /** True if each run is random, so that the check is run several times. */
  readonly random?: true;
  /** Returns why the rig does not allow the check; undefined if it does. */
  readonly missing?: (rig: Rig) => string | undefined;
  /** Throws a `Violation` if the channel breaks the rule. */
  run(stage: Stage, random: Random): Promise<void>;
}

/** Page and heading that explain the rules of each suite. The suites that are not named check the writer. */
const pages: Readonly<Record<string, string>> = {
  intake: 'docs/channels.md#3-take-questions',
  actions: 'docs/architecture.md#how-a-press-reaches-the-core',
  pacing: 'docs/pacing.md',
  hostile: 'docs/reference/attacks.md',
};

/** Returns the page and heading that explain a check, by its id. */
export const pageOf = (id: string): string =>
  pages[id.replace(/\..*/, '')] ?? 'docs/channels.md#4-show-answers';

/** Returns a function for `missing`, which reports that the rig lacks the property. */
export const lacks =
  (member: keyof Rig) =>
  (rig: Rig): string | undefined =>
    rig[member] === undefined ? `the rig has no "${member}"` : undefined;
