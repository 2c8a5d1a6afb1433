/**
 * What a message showed after its last write: the document's version, its number of rewrites, and the length of the
 * shown text.
 */
export interface ShownText {
  readonly version: number;
  readonly rewrites: number;
  readonly length: number;
}

/**
 * One channel message that shows the document's text from `from` (inclusive) to `to` (exclusive; absent: to the end).
 */
export interface Part {
  readonly id: string;
  readonly from: number;
  readonly to?: number;
  /** True if the message is a stream that still accepts appends. */
  readonly live: boolean;
  readonly openedAt: number;
  /** False if the outcome of the last call is unknown, or if the message was written by another process. */
  readonly sure: boolean;
  readonly shown?: ShownText;
}

/**
 * The state of a reply on the channel, as plain data. Stored with the turn, so that a restarted bridge can continue
 * the reply.
 */
export interface Screen {
  readonly rung: 'native' | 'edits' | 'once';
  readonly parts: readonly Part[];
  readonly finished: boolean;
  /** Text of the channel's own status line, if one is shown. */
  readonly status?: string;
  /** Ids of the reply's messages that show none of the answer's text. */
  readonly beside?: readonly string[];
  /** The channel's record of a message whose post had an unknown outcome. Plain data; absent if there is no such message. */
  readonly lost?: unknown;
  /**
   * Number of messages that a process which takes over can neither find nor edit. After each of them the screen is stored
   * before the next call, so that it is not posted twice.
   */
  readonly posts?: number;
  /**
   * Time at which the screen must be checked even if the document has not changed, because the channel removes the
   * shown content by itself.
   */
  readonly reviewAt?: number;
}

/** Exactly one network call that brings a screen closer to its document. */
export interface Move {
  /** The family of API methods that the call belongs to; its rate limit applies. */
  readonly family: string;
  /** True if the reply cannot end without this call. The call may then use reserved slots. */
  readonly essential: boolean;
  /**
   * Calls to reserve for the reply after this move, by family, so that the reply's end is guaranteed. The move gets no
   * permit without the reservation. Families that are not listed keep their reservations; 0 releases them.
   */
  readonly needs?: Readonly<Record<string, number>>;
  /** The adapter's own description of the call. */
  readonly call: unknown;
}

/**
 * `invalid`: the channel will never accept this call, so the writer must make a simpler one. `busy`: the call had no
 * effect, but the channel may accept it a moment later.
 */
export type OutcomeWhy = 'not-live' | 'gone' | 'rate' | 'busy' | 'invalid';

/**
 * The result of one call to the chat. `done`: the call took effect; a post returns the `id` of the new message. `refused`:
 * the call had no effect. `unknown`: no response came.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly id?: string }
  | {
      readonly kind: 'refused';
      readonly why: OutcomeWhy;
      /** Milliseconds that the channel asked to wait; added to the pacer's own wait unless `why` is `rate`. */
      readonly retryAfterMs?: number;
      /** The adapter's own code for the refusal, which its `after` function reads. */
      readonly detail?: string;
    }
  /** The call may or may not have had an effect. */
  | { readonly kind: 'unknown'; readonly retryAfterMs?: number };
