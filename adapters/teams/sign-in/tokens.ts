/**
 * Caches tokens. Concurrent callers share one request; tokens are renewed before they expire; after a failure, no
 * request is made for a while.
 */

import { orAborted } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { Tokens } from '../api/caller.ts';
import { type Audience, scopeOf } from '../clouds.ts';
import type { TeamsConfig } from '../config.ts';
import { createMachineIdentity } from '../sdk.ts';
import { type Granted, type LoginDeps, logIn } from './login.ts';

/** A token is renewed this long before it expires, in milliseconds. The old token is used until the new one arrives. */
const EARLY_MS = 5 * 60_000;
/**
 * Pause after the first failure, and the longest pause, in milliseconds. Each further failure doubles the pause, so
 * that a sign-in service that is down gets few requests.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Requests a token. `isRefused` is true if the last token was refused. */
type Ask = (audience: Audience, isRefused: boolean) => Promise<Granted>;

export type TokensDeps = LoginDeps & { readonly config: TeamsConfig };

export function createTokens(deps: TokensDeps): Tokens {
  const ask = askerOf(deps);
  const tokens = {
    connector: keepToken((isRefused) => ask('connector', isRefused), deps.clock),
    graph: keepToken((isRefused) => ask('graph', isRefused), deps.clock),
  };
  return { get: (audience, signal, refused) => tokens[audience](signal, refused) };
}

function askerOf(deps: TokensDeps): Ask {
  const { config } = deps;
  const { credential } = config;
  if (credential.kind !== 'managed-identity') {
    return (audience) => logIn(credential, scopeOf(audience, config), deps);
  }
  const tokenOf = createMachineIdentity(config);
  // The SDK caches the token until it expires, but does not report the time of expiry. So ask the SDK again for each
  // use.
  return async (audience, isRefused) => ({
    token: await tokenOf(scopeOf(audience, config), isRefused),
    forMs: EARLY_MS,
  });
}

function keepToken(ask: (isRefused: boolean) => Promise<Granted>, clock: Clock) {
  let held: { readonly token: string; readonly until: number } | undefined;
  let renewing: Promise<string> | undefined;
  let failed: { readonly error: unknown; readonly pauseMs: number; readonly until: number } | undefined;
  const askOnce = async (isRefused: boolean): Promise<string> => {
    if (failed !== undefined && failed.until > clock.now()) throw failed.error;
    try {
      const { token, forMs } = await ask(isRefused);
      failed = undefined;
      held = { token, until: clock.now() + forMs };
      return token;
    } catch (error) {
      const pauseMs = Math.min((failed?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS);
      failed = { error, pauseMs, until: clock.now() + pauseMs };
      throw error;
    }
  };
  return async (signal: AbortSignal, refused?: string): Promise<string> => {
    const known = held;
    const isRefused = known !== undefined && known.token === refused;
    const serves = known !== undefined && !isRefused && known.until > clock.now();
    if (serves && known.until - EARLY_MS > clock.now()) return known.token;
    renewing ??= askOnce(isRefused).finally(() => {
      renewing = undefined;
    });
    if (!serves) return orAborted(renewing, signal);
    // No caller waits for this renewal. If it fails, later calls repeat it until the old token has expired.
    renewing.catch(() => undefined);
    return known.token;
  };
}
