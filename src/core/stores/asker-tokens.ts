/** People's tokens from the identity provider. With these tokens, agents are asked on behalf of the people. */

import type { Asker } from '../asker.ts';
import type { Turn } from '../turn.ts';

/** A token that the channel has verified. */
export interface VerifiedToken {
  readonly token: string;
  /** Name of the person in the token. Used only to name the account. */
  readonly name: string;
  /** Time at which the token expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** All processes share the tokens, which are encrypted. Each method rejects with `store-unavailable`. */
export interface AskerTokens {
  /**
   * Resolves with the person's account if their token is valid for at least `forMs` milliseconds; else undefined. If
   * `since` is set (milliseconds since the epoch), only a token that was stored at this time or later counts.
   */
  find(asker: Asker, forMs: number, since?: number): Promise<string | undefined>;
  /** Stores a person's token in place of an earlier one, until it expires. */
  keep(asker: Asker, verified: VerifiedToken): Promise<void>;
  /** Records that the person's client could not get a token, so that questions stop waiting for it. */
  fail(asker: Asker): Promise<void>;
  /** Resolves with true if a failure was recorded at `since` (milliseconds since the epoch) or later. */
  failedSince(asker: Asker, since: number): Promise<boolean>;
  /**
   * Resolves with the time until which a turn waits for a token, in milliseconds since the epoch. The first call
   * for the turn sets this time, `ms` milliseconds ahead. A restart does not change it. After the turn was postponed,
   * the next call sets a new time.
   */
  deadlineOf(turn: Pick<Turn, 'id' | 'postponed'>, ms: number): Promise<number>;
  /** Resolves once this process stores something about the person, or rejects with the signal's reason. */
  changed(asker: Asker, signal: AbortSignal): Promise<void>;
}
