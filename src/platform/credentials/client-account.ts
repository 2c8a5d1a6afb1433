import { BridgeError } from '../../errors.ts';
import { call } from '../client.ts';
import { loginWithClient } from '../operations/auth.ts';
import { delayBefore, READ_RULE } from '../retry.ts';
import type { Issued } from '../tokens.ts';
import type { AgentCredential, SignInContext } from './credential.ts';
import { nonce, signature } from './signature.ts';

type ClientAccount = Extract<AgentCredential, { kind: 'client-account' }>;

/** A clock difference that explains a refused signature (platform contract AUT-11). */
const TELLING_SKEW_MS = 60_000;
const ABOUT_TIME = /signature|sign|time|expired|nonce|签名|时间|过期/i;

/**
 * An Open API token; its life is told in minutes (platform contract AUT-9 to AUT-12). Each try is signed anew,
 * because a nonce serves once; a refused signature is tried once more with the server's clock.
 */
export async function obtainAccountToken(
  context: SignInContext,
  credential: ClientAccount,
  account: string,
  signal: AbortSignal,
): Promise<Issued> {
  const { clock, random } = context.wiring;
  const began = clock.now();
  let skewMs = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await signIn(context, credential, { account, skewMs }, signal);
    } catch (error) {
      const correction = skewMs === 0 ? skewTold(error, clock.now()) : 0;
      if (correction !== 0) {
        context.log.warn({ skewMs: correction }, 'the clock differs from the platform by more than a minute');
        skewMs = correction;
        continue;
      }
      const delay = delayBefore(error, { rule: READ_RULE, tries, elapsedMs: clock.now() - began, random });
      if (delay === undefined) throw error;
      await clock.wait(delay, signal);
    }
  }
}

async function signIn(
  { wiring }: SignInContext,
  { client, secret }: ClientAccount,
  { account, skewMs }: { account: string; skewMs: number },
  signal: AbortSignal,
): Promise<Issued> {
  const timestamp = Math.round(wiring.clock.now() + skewMs);
  const parts = { client, account, timestamp, nonce: nonce(wiring.random) };
  const request = { ...parts, signature: signature({ ...parts, secret: secret.reveal() }) };
  const issued = await call(wiring, loginWithClient, request, { authority: { kind: 'none' }, signal });
  return { token: issued.accessToken, lifeMs: issued.expiresIn * 60_000 };
}

/** How far the server's clock is ahead, when a refusal names signature or time and the difference explains it; else 0. */
function skewTold(error: unknown, now: number): number {
  if (!(error instanceof BridgeError) || !ABOUT_TIME.test(error.message)) return 0;
  const { serverTime } = error.facts;
  const skew = typeof serverTime === 'number' ? serverTime - now : 0;
  return Math.abs(skew) > TELLING_SKEW_MS ? skew : 0;
}
