/** What a reply looks like after a call. Pure, and the only place where a rung changes. */

import type { Outcome } from '../../../src/kit.ts';
import { afterDone } from './after-done.ts';
import { afterRefusal } from './after-refusal.ts';
import { afterUnknown } from './after-unknown.ts';
import type { Call } from './calls.ts';
import type { SlackScreen } from './screen.ts';

export function screenAfter(screen: SlackScreen, call: Call, outcome: Outcome, now: number): SlackScreen {
  if (outcome.kind === 'done') return afterDone(screen, call, outcome.id, now);
  if (outcome.kind === 'unknown') return afterUnknown(screen, call);
  if (outcome.why === 'rate' || outcome.why === 'busy') return screen;
  return afterRefusal(screen, call, outcome.why);
}
