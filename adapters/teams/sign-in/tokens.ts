/** Tokens as long as they are good: asked for once although many wait, renewed early, and seldom while none is given. */

import { type Clock, orAborted } from '../../../src/kit.ts';
import type { Tokens } from '../api/caller.ts';
import type { Audience } from '../clouds.ts';
import { scopeOf } from '../clouds.ts';
import type { TeamsConfig } from '../config.ts';
import { createMachineIdentity } from '../sdk.ts';
import { type Granted, type LoginDeps, logIn } from './login.ts';

/** A token this near its end is renewed; until then the old one serves where there is no newer. */
const EARLY_MS = 5 * 60_000;
/** Pauses after the login gave none, doubled up to the longest: a login that is down is not asked by every reply. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

interface Held {
  readonly token: string;
  readonly until: number;
}

/** Asks for a token; `isRefused` where the last one was. */
type Ask = (audience: Audience, isRefused: boolean) => Promise<Granted>;

export function createTokens(deps: LoginDeps & { readonly config: TeamsConfig }): Tokens {
  return keepTokens(askerOf(deps), deps.clock);
}

function askerOf(deps: LoginDeps & { readonly config: TeamsConfig }): Ask {
  const { config } = deps;
  const { credential } = config;
  if (credential.kind !== 'managed-identity') {
    return (audience) => logIn(credential, scopeOf(audience, config), deps);
  }
  const machine = createMachineIdentity(config);
  // The SDK keeps it until it expires, and does not tell when that is.
  return async (audience, isRefused) => ({
    token: await machine.token(scopeOf(audience, config), isRefused),
    forMs: EARLY_MS,
  });
}

function keepTokens(ask: Ask, clock: Clock): Tokens {
  const held = new Map<Audience, Held>();
  const asking = new Map<Audience, Promise<Held>>();
  const failed = new Map<
    Audience,
    { readonly error: unknown; readonly pauseMs: number; readonly until: number }
  >();
  const askOnce = async (audience: Audience, isRefused: boolean): Promise<Held> => {
    const last = failed.get(audience);
    if (last !== undefined && last.until > clock.now()) throw last.error;
    try {
      const { token, forMs } = await ask(audience, isRefused);
      const found = { token, until: clock.now() + forMs };
      held.set(audience, found);
      failed.delete(audience);
      return found;
    } catch (error) {
      const pauseMs = Math.min((last?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS);
      failed.set(audience, { error, pauseMs, until: clock.now() + pauseMs });
      throw error;
    }
  };
  const renew = (audience: Audience, isRefused: boolean): Promise<Held> => {
    const running = asking.get(audience);
    if (running !== undefined) return running;
    const asked = askOnce(audience, isRefused).finally(() => asking.delete(audience));
    asking.set(audience, asked);
    return asked;
  };
  return {
    async get(audience, signal, refused) {
      const known = held.get(audience);
      const serves = known !== undefined && known.token !== refused && known.until > clock.now();
      if (serves && known.until - EARLY_MS > clock.now()) return known.token;
      const renewed = renew(audience, known !== undefined && known.token === refused);
      if (!serves) return (await orAborted(renewed, signal)).token;
      // Nobody waits for it; where it fails, it is asked for again until the old one has ended.
      renewed.catch(() => undefined);
      return known.token;
    },
  };
}
