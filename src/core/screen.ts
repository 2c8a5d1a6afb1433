/** Content of a part when it was last written: the document's version and rewrites, and the length of its text. */
export interface Shown {
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
  /** True if it is a stream that still accepts appends. */
  readonly live: boolean;
  readonly openedAt: number;
  /** False if the outcome of the last call is unknown, or if the message was written by another process. */
  readonly sure: boolean;
  readonly shown?: Shown;
}

/**
 * The state of a reply on the channel, as plain data. It is the reply's handle: stored with the turn, it survives a
 * restart.
 */
export interface Screen {
  readonly rung: 'native' | 'edits' | 'once';
  readonly parts: readonly Part[];
  readonly finished: boolean;
  /** Text of the channel's own status line, if one is shown. */
  readonly status?: string;
  /** Ids of messages of the reply that show none of the answer's text. */
  readonly beside?: readonly string[];
  /**
   * Time at which the screen must be checked even without a new document, because the channel removes the
   * shown content by itself.
   */
  readonly reviewAt?: number;
}

/** Exactly one network call that brings a screen closer to its document. */
export interface Move {
  /** The channel's method family, whose budget the call uses. */
  readonly family: string;
  /** True if the reply's end depends on the call, so that it may use reserved slots. */
  readonly essential: boolean;
  /**
   * Calls, by family, that must be reserved for the reply after this move, so that its end is guaranteed.
   * Without the reservation, the move gets no permit. Families that are not listed keep their reservations; 0
   * releases them.
   */
  readonly needs?: Readonly<Record<string, number>>;
  /** The adapter's own description of the call. */
  readonly call: unknown;
}

/**
 * `invalid`: the channel will never accept the call in this form, so the writer must find a simpler one. `busy`: the
 * call had no effect and may succeed shortly.
 */
export type OutcomeWhy = 'not-live' | 'gone' | 'rate' | 'busy' | 'invalid';

export type Outcome =
  | { readonly kind: 'done'; readonly id?: string }
  | {
      readonly kind: 'refused';
      readonly why: OutcomeWhy;
      /** Added to the pacer's own wait unless `why` is `rate`. */
      readonly retryAfterMs?: number;
      /** The adapter's own code for the refusal, for its `after`. */
      readonly detail?: string;
    }
  /** The call may or may not have had an effect. */
  | { readonly kind: 'unknown'; readonly retryAfterMs?: number };
