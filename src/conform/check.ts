/** A check of a channel, and what it needs of the rig. */

import type { Rig } from '../kit/rig.ts';
import type { Random } from './random.ts';
import type { Stage } from './stage.ts';

export interface Check {
  /** Stable name, which reports and `--only` use. The part before the period is the suite. */
  readonly id: string;
  /** States what holds if the check passes, as a whole sentence without its period. */
  readonly proves: string;
  /** Page and heading that explain the rule. */
  readonly page: string;
  /** True if each run is random, so that the check is run several times. */
  readonly random?: true;
  /** Returns why the rig does not allow the check; undefined if it does. */
  readonly missing?: (rig: Rig) => string | undefined;
  /** Throws a `Violation` if the channel breaks the rule. */
  run(stage: Stage, random: Random): Promise<void>;
}

/** Pages that explain the rules. */
export const pages = {
  questions: 'docs/channels.md#3-take-questions',
  writer: 'docs/channels.md#4-show-answers',
  presses: 'docs/architecture.md#how-a-press-reaches-the-core',
  limits: 'docs/pacing.md',
  attacks: 'docs/reference/attacks.md',
} as const;

/** Returns a function for `missing`, which reports that the rig lacks the property. */
export const lacks =
  (member: keyof Rig) =>
  (rig: Rig): string | undefined =>
    rig[member] === undefined ? `the rig has no "${member}"` : undefined;
