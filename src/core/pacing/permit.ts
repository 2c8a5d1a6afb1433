/** The requests of replies to the budgets, and their permits. */

import type { SideCall, SidePermit } from '../channel/host.ts';
import type { CallPlace } from '../channel/limits.ts';
import { type TurnId, turnId } from '../ids.ts';
import type { Move } from '../screen.ts';

export interface Beginning {
  readonly reply: TurnId;
  readonly tenant: string;
  /** Minimum calls for the reply's end, by family. */
  readonly needs: Readonly<Record<string, number>>;
}

/** The possible moves of a reply, and how urgent they are for the person who asked. */
export interface PermitRequest extends CallPlace {
  readonly reply: TurnId;
  /** Set for side calls, which are single calls and therefore not spread over time. */
  readonly isSideCall?: true;
  /** Alternatives, best first; never empty. */
  readonly moves: readonly Move[];
  /** True if no text of the reply is visible yet. */
  readonly first: boolean;
  /** Arrival time of the oldest text that people do not see yet. */
  readonly since: number;
}

/** A permit for one call. */
export interface Permit {
  /** The first of the requested moves that the budgets allow. */
  readonly move: Move;
  /** Must be called when the call was answered or given up. Its slot is free again one minute later. */
  answered(): void;
  /** Must be called if the call was not made. */
  giveBack(): void;
}

/** A call that the channel refused for its rate. */
export interface Refusal extends CallPlace {
  readonly family: string;
  /** Time in which the channel accepts no calls, in milliseconds. */
  readonly ms: number;
}

/** Stands in for the reply's id in requests for side calls, which never hold reservations. */
const NO_REPLY = turnId('beside');

/** A call outside a reply's moves: a note, a reaction, a form. It must not use slots that replies have reserved. */
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
