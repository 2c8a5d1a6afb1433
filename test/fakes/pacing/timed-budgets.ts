/** Budgets in virtual time that record when each permit is granted. */

import type { SideCall } from '../../../src/core/channel/host.ts';
import type { FamilyLimit } from '../../../src/core/channel/limits.ts';
import { turnId } from '../../../src/core/ids.ts';
import { type CallHistory, createBudgets, type LearnedLimits } from '../../../src/core/pacing/budgets.ts';
import type { Permit, PermitRequest } from '../../../src/core/pacing/permit.ts';
import type { Move } from '../../../src/core/screen.ts';
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts';

export function timeBudgets(
  limits: Readonly<Record<string, FamilyLimit>>,
  learned?: LearnedLimits,
  { clock = createVirtualClock(), history }: { clock?: VirtualClock; history?: CallHistory } = {},
) {
  const begun = clock.now();
  const budgets = createBudgets(limits, clock, learned, history);
  const { signal } = new AbortController();
  const callOf = (over: Partial<SideCall> = {}) => ({ tenant: 't1', room: 'r', family: 'note', ...over });
  return {
    ...{ clock, budgets, callOf },
    /**
     * Requests a permit for a call outside replies. `at` becomes the milliseconds from the start until the permit is
     * granted, or "none" if it is refused.
     */
    beside(waitMs: number, over: Partial<SideCall> = {}) {
      const asked: { at?: number | 'none' } = {};
      void budgets.permitSideCall(callOf(over), waitMs, signal).then((permit) => {
        asked.at = permit === undefined ? 'none' : clock.now() - begun;
        permit?.answered();
      });
      return asked;
    },
    /** Requests a permit for a reply. `at` becomes the milliseconds from the start until it is granted. */
    ask(reply: string, moves: readonly Move[], over: Partial<PermitRequest> = {}) {
      const asked: { at?: number; permit?: Permit } = {};
      const request = { tenant: 't1', room: 'r', first: false, since: clock.now(), ...over };
      void budgets.permit({ ...request, reply: turnId(reply), moves }, signal).then((permit) => {
        asked.at = clock.now() - begun;
        asked.permit = permit;
      });
      return asked;
    },
  };
}
