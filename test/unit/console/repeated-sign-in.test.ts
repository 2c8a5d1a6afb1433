/** Tests many sign-ins in a row, in place of the provider with a stub: which of them count, and for how long. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignedInPeople } from '../../../adapters/console/chat/people.ts';
import { type ProviderGateDeps, providerGate } from '../../../adapters/console/http/provider-gate.ts';
import type { Pending, Provider } from '../../../adapters/console/identity/provider.ts';
import type { Recheck } from '../../../adapters/console/identity/recheck.ts';
import { createSeal } from '../../../adapters/console/identity/seal.ts';
import { BridgeError } from '../../../src/errors.ts';
import { createAttempts } from '../../../src/kit/attempts.ts';
import type { AdapterHost } from '../../../src/kit.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../slack/keyed.ts';
import { openSessions } from './session-store.ts';

const LIMIT = 20;
const MINUTE_MS = 60_000;

let clock: VirtualClock;
let server: Server;
let exchanges: number;
/** What the provider says to each code. */
let answer: () => Promise<{ person: { id: string; name: string; title: string } }>;

beforeEach(async () => {
  clock = createVirtualClock();
  exchanges = 0;
  let begun = 0;
  const provider = {
    async begin() {
      begun += 1;
      const pending: Pending = {
        state: `state-${begun}`.padEnd(20, 'x'),
        nonce: 'n',
        verifier: 'v',
      };
      return { address: new URL('https://id.example/'), pending };
    },
    async finish() {
      exchanges += 1;
      return answer();
    },
  };
  const people = { put: async () => undefined, find: () => undefined };
  const seal = createSeal(new Uint8Array(32));
  const deps: ProviderGateDeps = {
    provider: provider as unknown as Provider,
    people: people as unknown as SignedInPeople,
    recheck: { begin: async () => undefined } as unknown as Recheck,
    sessions: await openSessions(new Map(), seal, clock),
    host: {
      ...{ clock, log: quiet, state: memoryKeyed() },
      noteAct: async () => undefined,
    } as unknown as AdapterHost,
    ...{ seal, secure: false },
  };
  const app = express();
  providerGate(deps).addRoutes(app);
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Signs in once. Resolves with the failure that the page shows; undefined if there is none. */
async function signIn(): Promise<string | undefined> {
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign-in`;
  const begin = await fetch(`${base}/start`, { redirect: 'manual' });
  const [cookie = ''] = begin.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  const state = /^parley_sign_in_(state-\d+x+)/.exec(cookie)?.[1]?.padEnd(20, 'x');
  const end = await fetch(`${base}/callback?code=c&state=${state}`, {
    redirect: 'manual',
    headers: { cookie },
  });
  return new URL(end.headers.get('location') ?? '', 'http://x/a/b/').searchParams.get('sign-in') ?? undefined;
}
const signInTimes = async (count: number) => {
  const ends: (string | undefined)[] = [];
  for (let nth = 0; nth < count; nth += 1) ends.push(await signIn());
  return ends;
};
const refusing = (cause?: unknown) => async () =>
  Promise.reject(new BridgeError('sign-in-refused', 'planted', cause === undefined ? {} : { cause }));
const wrong = new Error('invalid_grant');

describe('sign-ins of one address', () => {
  it.each([
    ['that succeed', async () => ({ person: { id: 'ada', name: 'Ada', title: '' } }), undefined],
    ['whose claims are refused', refusing(), 'refused'],
  ])('%s are never limited', async (_, given, end) => {
    answer = given;
    expect(await signInTimes(LIMIT + 10)).toEqual(Array.from({ length: LIMIT + 10 }, () => end));
    expect(exchanges).toBe(LIMIT + 10);
  });

  it.each([
    ['with made-up codes', refusing(wrong), 'refused'],
    [
      'while the provider is down',
      async () => Promise.reject(new BridgeError('sign-in-unavailable', 'x')),
      'unavailable',
    ],
  ])('%s are limited for a minute', async (_, given, end) => {
    answer = given;
    expect(await signInTimes(LIMIT)).toEqual(Array.from({ length: LIMIT }, () => end));
    expect(await signInTimes(5)).toEqual(Array.from({ length: 5 }, () => 'unavailable'));
    expect(exchanges).toBe(LIMIT);
    await clock.pass(MINUTE_MS);
    answer = async () => ({ person: { id: 'ada', name: 'Ada', title: '' } });
    expect(await signIn()).toBeUndefined();
  });
});

describe('attempts', () => {
  it('of each source are limited on their own, and end whatever their outcome is', () => {
    const begin = createAttempts(clock);
    for (const source of ['1', '12']) {
      const ends = Array.from({ length: LIMIT }, () => begin(source));
      expect(begin(source)).toBeUndefined();
      for (const end of ends) end?.(false);
      for (let nth = 0; nth < LIMIT; nth += 1) begin(source)?.(true);
      expect(begin(source)).toBeUndefined();
    }
    expect(begin('123')).toBeDefined();
  });

  it('count from the first failure on, for a minute', async () => {
    const begin = createAttempts(clock);
    for (let nth = 0; nth < LIMIT; nth += 1) {
      begin('1')?.(true);
      await clock.pass(1_000);
    }
    expect(begin('1')).toBeUndefined();
    await clock.pass(MINUTE_MS - LIMIT * 1_000 - 1);
    expect(begin('1')).toBeUndefined();
    await clock.pass(1);
    expect(begin('1')).toBeDefined();
  });
});
