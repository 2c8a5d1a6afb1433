/** Requests of replies to the budgets, and the permits that they get. */

import type { SideCall, SidePermit } from '../channel/host.ts';
import type { CallPlace } from '../channel/limits.ts';
import { type TurnId, turnId } from '../ids.ts';
import type { Move } from '../screen.ts';

export interface Beginning {
  readonly reply: TurnId;
  readonly tenant: string;
  /** Calls that the reply cannot end without, by family. */
  readonly needs: Readonly<Record<string, number>>;
}

/** The moves that a reply could make, and their urgency for the person who waits. */
export interface PermitRequest extends CallPlace {
  readonly reply: TurnId;
  /** It is no part of a reply: it need not be spread over the time to come, as there is not more of it. */
  readonly beside?: true;
  /** Alternatives, the best first; never empty. */
  readonly moves: readonly Move[];
  /** True if no text of the reply is visible yet. */
  readonly first: boolean;
  /** When the oldest text arrived that people do not see yet. */
  readonly since: number;
}

/** A permit for one call. */
export interface Permit {
  /** The first of the requested moves that the budgets allow. */
  readonly move: Move;
  /** The call was answered or given up: its slot is free again a minute from now. */
  answered(): void;
  /** The call was not made. */
  giveBack(): void;
}

/** A call that the channel refused for its rate. */
export interface Refusal extends CallPlace {
  readonly family: string;
  /** Time in which the channel takes no calls. */
  readonly ms: number;
}

/** In place of a reply: nothing is ever held for it. */
const NO_REPLY = turnId('beside');

/** A call that is no move of a reply: a note, a reaction, a form. What replies hold for their ends is not its. */
export type SideRequest = PermitRequest & { readonly moves: readonly [Move] };

export function sideRequest({ family, first = false, ...place }: SideCall, now: number): SideRequest {
  const moves = [{ family, essential: false, call: undefined }] as const;
  return { ...place, reply: NO_REPLY, beside: true, moves, first, since: now };
}

export function sidePermit(permit: Permit, call: SideCall, close: (refusal: Refusal) => void): SidePermit {
  return {
    answered(refusedMs) {
      permit.answered();
      if (refusedMs !== undefined) close({ ...call, ms: refusedMs });
    },
  };
}
