/** Calls that are no moves of a reply: notes, reactions, forms. What replies hold for their ends is not theirs. */

import type { SideCall, SideLeave } from '../channel/host.ts';
import { turnId } from '../ids.ts';
import type { Move } from '../screen.ts';
import type { Leave, Refusal, Wish } from './wish.ts';

/** In place of a reply: nothing is ever held for it. */
const NO_REPLY = turnId('beside');

/** A wish with one move only. */
export type Beside = Wish & { readonly moves: readonly [Move] };

export function besideReplies({ family, first = false, ...place }: SideCall, now: number): Beside {
  const moves = [{ family, essential: false, call: undefined }] as const;
  return { ...place, reply: NO_REPLY, beside: true, moves, first, since: now };
}

export function sideLeave(leave: Leave, call: SideCall, close: (refusal: Refusal) => void): SideLeave {
  return {
    answered(refusedMs) {
      leave.answered();
      if (refusedMs !== undefined) close({ ...call, ms: refusedMs });
    },
  };
}
