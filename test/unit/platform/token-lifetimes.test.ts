/** Tests for how long a token is used: the unit of each sign-in, slow answers, refusals and other accounts. */

import { describe, expect, it } from 'vitest';
import { type AgentCredential, authorityFor } from '../../../src/platform/credentials.ts';
import { createTokenCache } from '../../../src/platform/tokens.ts';
import { Secret } from '../../../src/secret.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { answerOf, wiringOf } from './wiring.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const secret = new Secret('s');
const lite: AgentCredential = { kind: 'client-token', clientId: 'c', secret, username: 'service' };
const account: AgentCredential = { kind: 'client-account', client: 'c', secret, account: 'service' };
const idp: AgentCredential = { kind: 'idp', token: async () => secret };
const never = new AbortController().signal;

/** Signs in at a platform whose tokens have the given lifetime, in the platform's unit. */
function open(expiresIn: number, { slowMs = 0, token = (nth: number) => `token-${nth}` } = {}) {
  const clock = createVirtualClock();
  const state = { requests: 0, fails: false };
  const wiring = wiringOf(
    async () => {
      state.requests += 1;
      const nth = state.requests;
      if (slowMs > 0) await clock.wait(slowMs);
      const data = { access_token: token(nth), expires_in: expiresIn };
      const body = state.fails ? { success: false, msg: 'not now' } : { success: true, data };
      return answerOf(JSON.stringify(body));
    },
    { clock },
  );
  const context = { wiring, tokens: createTokenCache(clock, never), log: quiet };
  const grantsOf = (credential: AgentCredential, as?: string) => {
    const authority = authorityFor(context, credential, as);
    if (authority.kind !== 'token') throw new Error('no token is used');
    return authority.grants;
  };
  const tokenOf = async (credential: AgentCredential, as?: string) =>
    (await grantsOf(credential, as).grant(never)).token.reveal();
  return { clock, state, grantsOf, tokenOf };
}

describe('a token', () => {
  it.each([
    ['lite', lite, SECOND],
    ['Open API', account, MINUTE],
    ['identity provider', idp, MINUTE],
  ] as const)('of the %s is renewed in time, by the unit of its lifetime', async (_, credential, unit) => {
    for (const expiresIn of [10, 100, 1_440]) {
      const life = Math.min(expiresIn * unit, 24 * 60 * MINUTE);
      const due = life < 5 * MINUTE ? 0.8 * life : Math.min(0.8 * life, life - MINUTE);
      const { clock, tokenOf } = open(expiresIn);
      expect(await tokenOf(credential)).toBe('token-1');
      await clock.pass(due - 1);
      expect(await tokenOf(credential)).toBe('token-1');
      await clock.pass(1);
      expect(await tokenOf(credential)).toBe('token-2');
    }
  });

  it('with an earlier `exp`, which is in seconds, is renewed before it', async () => {
    let now = 0;
    const token = (nth: number) => {
      const claims = Buffer.from(JSON.stringify({ exp: now / SECOND + 100 })).toString('base64url');
      return `h${nth}.${claims}.s`;
    };
    const { clock, tokenOf } = open(1_440, { token });
    now = clock.now();
    expect(await tokenOf(account)).toMatch(/^h1/);
    await clock.pass(80 * SECOND - 1);
    expect(await tokenOf(account)).toMatch(/^h1/);
    await clock.pass(1);
    expect(await tokenOf(account)).toMatch(/^h2/);
  });

  it.each([
    ['lite', lite],
    ['Open API', account],
  ])('(%s) of a person is renewed 50 s after it was requested, however late it came', async (_, credential) => {
    const { clock, tokenOf } = open(100_000, { slowMs: 20 * SECOND });
    const first = tokenOf(credential, 'ada');
    await clock.pass(20 * SECOND);
    expect(await first).toBe('token-1');
    await clock.pass(30 * SECOND - 1);
    expect(await tokenOf(credential, 'ada')).toBe('token-1');
    await clock.pass(1);
    const second = tokenOf(credential, 'ada');
    await clock.pass(20 * SECOND);
    expect(await second).toBe('token-2');
  });

  it.each([
    ['lite', lite],
    ['Open API', account],
  ])('(%s) belongs to one account', async (_, credential) => {
    const { tokenOf } = open(100_000);
    const ids = [undefined, 'U1', 'U12', 'u1'];
    const tokens = [];
    for (const id of [...ids, ...ids]) tokens.push(await tokenOf(credential, id));
    const each = ids.map((_id, nth) => `token-${nth + 1}`);
    expect(tokens).toEqual([...each, ...each]);
  });

  it('is requested once for callers at the same time, again after a failure, and kept after a late refusal', async () => {
    const { clock, state, grantsOf, tokenOf } = open(1_440, { slowMs: 10 });
    const together = Array.from({ length: 5 }, () => tokenOf(account));
    await clock.pass(10);
    expect(new Set(await Promise.all(together)).size).toBe(1);

    const { grant, refuse } = grantsOf(account);
    const old = await grant(never);
    refuse(old);
    state.fails = true;
    const failing = tokenOf(account).catch(() => 'failed');
    await clock.pass(10);
    expect(await failing).toBe('failed');
    state.fails = false;
    const renewed = tokenOf(account);
    await clock.pass(10);
    expect(await renewed).toBe('token-3');
    refuse(old);
    expect(await tokenOf(account)).toBe('token-3');
    expect(state.requests).toBe(3);
  });
});
