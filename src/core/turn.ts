import type { AgentName, LaneKey, TurnId } from './ids.ts';
import type { Message, Origin } from './message.ts';
import type { Screen } from './screen.ts';

/**
 * Progress of a turn, for a worker that takes it over: `new` nothing was sent to the platform; `asking` the request
 * may have gone out; `answering` answer text is recorded, so it is never asked again by itself; `ending` the
 * whole text is recorded and only sources and the last moves are missing.
 */
export const phases = ['new', 'asking', 'answering', 'ending'] as const;
export type Phase = (typeof phases)[number];

/**
 * The states in which a turn ends; each is visible on its screen. `superseded`: the question was edited, and the turn of
 * the newer revision continues the same reply.
 */
export const terminals = [
  'answered',
  'partial',
  'failed',
  'stopped',
  'withdrawn',
  'expired',
  'superseded',
] as const;
export type Terminal = (typeof terminals)[number];

/** One asking of one agent, from its origin to its terminal state. Plain data. */
export interface Turn {
  readonly id: TurnId;
  readonly origin: Origin;
  readonly lane: LaneKey;
  /** The first turn of the reply that this one goes on in; absent: a reply of its own. */
  readonly reply?: TurnId;
  readonly message: Message;
  /** When the inbox kept it. */
  readonly keptAt: number;
  /** 1 for the first claim. */
  readonly attempt: number;
  readonly phase: Phase;
  readonly state: 'waiting' | 'running' | Terminal;
  /** The reply's handle, once anything was shown. */
  readonly screen?: Screen;
  readonly agent?: AgentName;
  /** The platform account the agent ran as; absent for the agent's own credential. */
  readonly account?: string;
  /** The platform's `sessionId` or `conversation_id`. */
  readonly session?: string;
  /** The platform's `chatRecordId`, needed for references. */
  readonly chatRecord?: string;
}

/** Why a running turn was interrupted. */
export type Interruption =
  | { readonly kind: 'stop'; readonly by: string }
  /** The question was edited: the reply is left as it is, for the turn of the newer revision. */
  | { readonly kind: 'superseded' }
  /** The question was deleted: the reply is taken away. */
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'deadline' }
  /** The process shuts down. */
  | { readonly kind: 'release' }
  /** The reply's message was deleted, or the room is closed to us. */
  | { readonly kind: 'gone' }
  /** The lease is no longer ours: nothing may be written any more. */
  | { readonly kind: 'lost' };
