/** Content of a part when it was last written: the document's version, its rewrites and the length of its text. */
export interface Shown {
  readonly version: number;
  readonly rewrites: number;
  readonly length: number;
}

/**
 * One channel message that holds the document's text from `from` (inclusive) to `to` (exclusive; absent: to the end).
 */
export interface Part {
  readonly id: string;
  readonly from: number;
  readonly to?: number;
  /** True if it is a stream that still takes appends. */
  readonly live: boolean;
  readonly openedAt: number;
  /** False when the outcome of the last call is unknown, or another process wrote it. */
  readonly sure: boolean;
  readonly shown?: Shown;
}

/**
 * Current look of a reply on the channel, as plain data: it is the reply's handle, is stored with the
 * turn and survives a restart.
 */
export interface Screen {
  readonly rung: 'native' | 'edits' | 'once';
  readonly parts: readonly Part[];
  readonly finished: boolean;
  /** Text of the channel's own status line, if one is shown. */
  readonly status?: string;
  /** Ids of messages of the reply that hold nothing of its text. */
  readonly beside?: readonly string[];
  /** When it is to be looked at again although nothing new came: what it shows fades by itself. */
  readonly reviewAt?: number;
}

/** Exactly one network call that brings a screen nearer its document. */
export interface Move {
  /** The budget it is taken from: the channel's method family. */
  readonly family: string;
  /** True if the reply's end depends on it, so that it may use reserved slots. */
  readonly essential: boolean;
  /**
   * Calls by family that the reply must hold reserved after this move, so that it can surely end; the move
   * gets no permit otherwise. Families that are not named keep theirs; 0 gives them back.
   */
  readonly needs?: Readonly<Record<string, number>>;
  /** The adapter's own description of the call. */
  readonly call: unknown;
}

/**
 * `invalid`: the channel will never take it in this form, so the writer must come with a simpler one. `busy`: surely
 * nothing happened, and the same call may be taken in a moment.
 */
export type OutcomeWhy = 'not-live' | 'gone' | 'rate' | 'busy' | 'invalid';

export type Outcome =
  | { readonly kind: 'done'; readonly id?: string }
  | {
      readonly kind: 'refused';
      readonly why: OutcomeWhy;
      /** If `why` is not `rate`, it is added to the pacer's own wait. */
      readonly retryAfterMs?: number;
      /** The adapter's own word for what the channel said, for its `after`. */
      readonly detail?: string;
    }
  /** It may or may not have happened. */
  | { readonly kind: 'unknown'; readonly retryAfterMs?: number };
