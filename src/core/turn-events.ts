import type { BridgeError } from '../errors.ts';
import type { TurnId } from './ids.ts';

/** A step of a turn that failed without ending the turn. */
export type TroubleStep =
  | 'agent'
  | 'checkpoint'
  | 'document'
  | 'notice'
  | 'prepare'
  | 'repair'
  | 'session'
  | 'shelf'
  | 'sources'
  | 'thread'
  | 'undo';

/** An event of a turn, for the log, the metrics and the receipt. Holds no message text. */
export interface CoreEvent {
  readonly turn: TurnId;
  readonly at: number;
  readonly name:
    | 'kept'
    | 'waits'
    | 'claimed'
    | 'routed'
    | 'images'
    | 'asking'
    | 'session'
    | 'answering'
    | 'remark'
    | 'move'
    | 'ending'
    | 'sources'
    | 'interrupted'
    | 'trouble'
    | 'document'
    | 'feedback'
    | 'released'
    | 'postponed'
    | 'settled';
  readonly detail: Readonly<Record<string, string | number | boolean>> & { readonly what?: TroubleStep };
}

/** Receives the core's events. Must neither throw nor block. */
export interface TurnEvents {
  record(event: CoreEvent): void;
  /** Reports a failure that belongs to no single turn, such as a failure of the store. */
  trouble(error: BridgeError, at: number): void;
}
