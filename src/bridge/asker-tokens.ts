/** Stores people's tokens from the identity provider. All values are encrypted, and all replicas share them. */

import { type Asker, askerAccount, askerOf } from '../core/asker.ts';
import { type Clock, orAborted } from '../core/clock.ts';
import type { AskerTokens, VerifiedToken } from '../core/stores/asker-tokens.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { BridgeError } from '../errors.ts';
import { Secret } from '../secret.ts';

/** Namespace of the tokens in the store. */
export const ASKERS = 'asker tokens';

/** Time for which a failure and a deadline are kept, in milliseconds: longer than a question waits for a sign-in. */
const KEPT_MS = 60 * 60_000;

export interface AskerTokenStore extends AskerTokens {
  /** Resolves with the token for an account. Rejects with `sign-in-needed` if there is no valid one. */
  secretOf(account: string): Promise<Secret>;
}

interface StoredToken extends VerifiedToken {
  /** In milliseconds since the epoch; absent in tokens of earlier versions. */
  readonly storedAt?: number;
}

/** @param stored encrypted state */
export function createAskerTokens(stored: Keyed, clock: Pick<Clock, 'now'>): AskerTokenStore {
  const waiting = new Set<{ readonly id: string; readonly resolve: () => void }>();
  const wake = (asker: Asker) => {
    for (const each of waiting) if (each.id === idOf(asker)) each.resolve();
  };
  const valid = async (asker: Asker, forMs: number): Promise<StoredToken | undefined> => {
    const found = await stored.get(tokenKey(asker));
    return isToken(found) && found.expiresAt - forMs > clock.now() ? found : undefined;
  };
  return {
    async find(asker, forMs, since) {
      const token = await valid(asker, forMs);
      const counts = token !== undefined && (since === undefined || (token.storedAt ?? 0) >= since);
      return counts ? askerAccount(token.name, asker) : undefined;
    },
    async secretOf(account) {
      const asker = askerOf(account);
      const stored = asker && (await valid(asker, 0));
      if (stored !== undefined) return new Secret(stored.token);
      throw new BridgeError('sign-in-needed', 'The person has no valid token of the identity provider.');
    },
    async keep(asker, { token, name, expiresAt }) {
      const ttlMs = expiresAt - clock.now();
      const record: StoredToken = { token, name, expiresAt, storedAt: clock.now() };
      if (ttlMs > 0) await stored.set(tokenKey(asker), record, ttlMs, asker);
      wake(asker);
    },
    async fail(asker) {
      await stored.set(`failed ${idOf(asker)}`, clock.now(), KEPT_MS, asker);
      wake(asker);
    },
    async failedSince(asker, since) {
      const at = await stored.get(`failed ${idOf(asker)}`);
      return typeof at === 'number' && at >= since;
    },
    async deadlineOf({ id, postponed = 0 }, ms) {
      let until = clock.now() + ms;
      const next = (current: unknown) => {
        if (typeof current !== 'number') return until;
        until = current;
        return undefined;
      };
      await stored.change(`until ${id} ${postponed}`, next, KEPT_MS, { turn: id });
      return until;
    },
    changed(asker, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const entry = { id: idOf(asker), resolve };
      waiting.add(entry);
      return orAborted(promise, signal).finally(() => waiting.delete(entry));
    },
  };
}

/**
 * Returns the key of a person: channel, workspace and id as JSON texts, so that the deletion of the person's data finds
 * it.
 */
const idOf = ({ channel, tenant, person }: Asker): string => JSON.stringify([channel, tenant, person]);

const tokenKey = (asker: Asker): string => `token ${idOf(asker)}`;

const isToken = (value: unknown): value is StoredToken =>
  typeof value === 'object' &&
  value !== null &&
  'token' in value &&
  typeof value.token === 'string' &&
  'name' in value &&
  typeof value.name === 'string' &&
  'expiresAt' in value &&
  typeof value.expiresAt === 'number';
