import type { AgentName, LaneKey, TurnId } from './ids.ts';
import type { Message, Origin } from './message.ts';
import type { Screen } from './screen.ts';

/**
 * Progress of a turn, for a worker that resumes it. `new`: nothing was sent to the platform. `asking`: the
 * request may have been sent. `answering`: answer text is recorded, so the question is never asked again
 * automatically. `ending`: the whole text is recorded; only the sources and the last calls to the channel are
 * missing.
 */
export const phases = ['new', 'asking', 'answering', 'ending'] as const;
export type Phase = (typeof phases)[number];

/**
 * The states in which a turn ends; the turn's screen shows which one. `superseded`: the question was edited, and the
 * turn of the newer revision continues the same reply.
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

/** One run of one agent on a question, from its origin to its terminal state. Plain data. */
export interface Turn {
  readonly id: TurnId;
  readonly origin: Origin;
  readonly lane: LaneKey;
  /** The first turn of the reply that this turn continues; absent if this turn starts a new reply. */
  readonly reply?: TurnId;
  readonly message: Message;
  /** Time at which the inbox stored the turn, in milliseconds since the epoch. */
  readonly keptAt: number;
  /** Number of the current claim; 1 for the first. */
  readonly attempt: number;
  /** Number of claims that ended because the agent's platform was down; absent if there were none. */
  readonly postponed?: number;
  /** Number of other claims that ended before the agent was asked; absent if there were none. */
  readonly unasked?: number;
  readonly phase: Phase;
  readonly state: 'waiting' | 'running' | Terminal;
  /** The state of the reply on the channel; absent until something is shown. */
  readonly screen?: Screen;
  readonly agent?: AgentName;
  /** The platform account under which the agent ran; absent if it used its own credential. */
  readonly account?: string;
  /** The platform's `sessionId` or `conversation_id`. */
  readonly session?: string;
  /** The platform's `chatRecordId`, needed for sources. */
  readonly chatRecord?: string;
}

/** The reason why a turn was interrupted. */
export type Interruption =
  | { readonly kind: 'stop'; readonly by: string }
  /** The question was edited. The reply stays unchanged until the turn of the newer revision continues it. */
  | { readonly kind: 'superseded' }
  /** The question was deleted, so the reply is removed. */
  | { readonly kind: 'withdrawn' }
  /** The agent's platform is down. `asked`: the platform was asked and failed. */
  | { readonly kind: 'postponed'; readonly agent: AgentName; readonly asked: boolean }
  /** The question waited too long for a platform that is down. */
  | { readonly kind: 'expired' }
  /** The asker's platform account was disabled, or is no longer theirs. */
  | { readonly kind: 'locked-out' }
  /** The asker's token from the identity provider is no longer valid, so their account can no longer be checked. */
  | { readonly kind: 'signed-out' }
  /** The identity provider with which the asker signed in to the channel no longer accepts them. */
  | { readonly kind: 'not-accepted' }
  | { readonly kind: 'deadline' }
  /** The process is shutting down. */
  | { readonly kind: 'release' }
  /** The reply's message was deleted on the channel, or the app lost access to the room. */
  | { readonly kind: 'gone' }
  /** The lease was lost, so this process must not write any more. */
  | { readonly kind: 'lost' };

/** True if the turn writes a finished reply again, because a late call may have changed it. */
export const isRepair = ({ origin }: Pick<Turn, 'origin'>): boolean =>
  origin.kind === 'show' && origin.strays !== undefined;
