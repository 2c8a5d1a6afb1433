/** The requests that replies make to the rate limits, and the permits that they get. */

import type { SideCall, SidePermit } from '../channel/host.ts';
import type { CallPlace } from '../channel/limits.ts';
import { type TurnId, turnId } from '../ids.ts';
import type { Move } from '../screen.ts';

export interface Beginning {
  readonly reply: TurnId;
  readonly tenant: string;
  /** Minimum number of calls, by family, that the reply needs to show its end. */
  readonly needs: Readonly<Record<string, number>>;
}

/** A reply's request for one call: the possible moves, and how urgent they are for the person who asked. */
export interface PermitRequest extends CallPlace {
  readonly reply: TurnId;
  /** Set for side calls: single calls outside a reply, which need not be spread over time. */
  readonly isSideCall?: true;
  /** Alternatives, best first; never empty. */
  readonly moves: readonly Move[];
  /** True if no text of the reply is visible yet. */
  readonly first: boolean;
  /** Arrival time of the oldest text that people do not see yet. */
  readonly since: number;
}

export interface Permit {
  /** The first of the requested moves that the budgets allow. */
  readonly move: Move;
  /**
   * Must be called when the channel has answered the call or the call was given up. Its slot is free again one minute
   * later.
   */
  answered(): void;
  /** Must be called instead of `answered` if the call was not made. */
  giveBack(): void;
}

/** A call that the channel refused because of a rate limit. */
export interface Refusal extends CallPlace {
  readonly family: string;
  /** Milliseconds during which the channel accepts no calls. */
  readonly ms: number;
}

/** Replaces the reply's id in requests for side calls, which never hold reservations. */
const NO_REPLY = turnId('beside');

/**
 * A call to the channel that does not write a reply, such as a note, a reaction or a form. It must not use slots that
 * replies have reserved.
 */
export type SideRequest = PermitRequest & { readonly moves: readonly [Move] };

export function sideRequest({ family, first = false, ...place }: SideCall, now: number): SideRequest {
  const moves = [{ family, essential: false, call: undefined }] as const;
  return { ...place, reply: NO_REPLY, isSideCall: true, moves, first, since: now };
}

export function sidePermit(permit: Permit, call: SideCall, close: (refusal: Refusal) => void): SidePermit {
  return {
    answered(refusedMs) {
      permit.answered();
      if (refusedMs !== undefined) close({ ...call, ms: refusedMs });
    },
  };
}
