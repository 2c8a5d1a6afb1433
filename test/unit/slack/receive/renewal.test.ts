import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCaller } from '../../../../adapters/slack/api/sender.ts';
import { createInstallations } from '../../../../adapters/slack/receive/installations.ts';
import { createMembers } from '../../../../adapters/slack/receive/members.ts';
import { renewTokens } from '../../../../adapters/slack/receive/renewal.ts';
import { systemClock } from '../../../../src/clock.ts';
import type { Keyed } from '../../../../src/core/stores/keyed.ts';
import { createCommits } from '../../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../../src/store/sqlite/database.ts';
import { createKeyed } from '../../../../src/store/sqlite/keyed.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { secret } from '../rig.ts';
import { openSmallSlack, type SmallSlack } from '../small-slack.ts';

const HOUR_MS = 3_600_000;

let slack: SmallSlack;
let clock: VirtualClock;
let opened: ReturnType<typeof openDatabase>;
const stopping = { signal: new AbortController() };
const running: Promise<void>[] = [];
/** The only refresh token that Slack accepts now. Each refresh token works once. */
let accepted: string;

beforeEach(async () => {
  slack = await openSmallSlack();
  clock = createVirtualClock();
  opened = openDatabase(':memory:');
  stopping.signal = new AbortController();
  accepted = 'refresh 1';
  slack.answers['oauth.v2.access'] = ({ args }) => {
    if (args.refresh_token !== accepted) return { ok: false, error: 'invalid_refresh_token' };
    const next = Number(accepted.split(' ')[1]) + 1;
    accepted = `refresh ${next}`;
    return { ok: true, access_token: `token ${next}`, refresh_token: accepted, expires_in: 43_200 };
  };
  const { installations } = openProcess();
  const expiresAt = Math.floor((clock.now() + HOUR_MS) / 1_000);
  const bot = { botUser: 'U0', token: 'token 1', scopes: [], refreshToken: 'refresh 1', expiresAt };
  await installations.write({ id: 'T1', orgWide: false, ...bot });
});
afterEach(async () => {
  stopping.signal.abort();
  await Promise.all(running.splice(0));
  opened.close();
  await slack.close();
});

/** Opens the installations as one process does. All processes share the store. */
function openProcess(wrap: (keyed: Keyed) => Keyed = (keyed) => keyed) {
  const commits = createCommits({ database: opened.database, clock: systemClock });
  const keyed = createKeyed({ database: opened.database, commits, clock, log: quiet })('secrets slack');
  const errors: string[] = [];
  const deps = {
    config: {
      clientId: '1.2',
      clientSecret: secret('client secret'),
      stateSecret: secret('state secret'),
      publicUrl: 'https://parley.example',
    },
    installations: createInstallations(wrap(keyed), clock, createMembers(keyed)),
    call: createCaller(slack.apiUrl, quiet),
    clock,
    log: { ...quiet, error: (_: object, text: string) => void errors.push(text) },
  };
  const { signal } = stopping.signal;
  const start = () => void running.push(renewTokens(deps, signal));
  return { installations: deps.installations, errors, start };
}

type Opened = ReturnType<typeof openProcess>;

const tokenOf = async ({ installations }: Opened) => (await installations.readStored('T1'))?.token;
const exchanges = () => slack.called('oauth.v2.access').map(({ args }) => args.refresh_token);

test('two processes that find an expiring token at once use its refresh token once', async () => {
  const [one, other] = [openProcess(), openProcess()];
  one.start();
  other.start();
  await expect.poll(() => tokenOf(one)).toBe('token 2');
  expect(await tokenOf(other)).toBe('token 2');
  await clock.pass(2 * HOUR_MS);
  expect(exchanges()).toEqual(['refresh 1']);
  expect([...one.errors, ...other.errors]).toEqual([]);
});

test('the claim of a process that crashed expires, and another process renews the token', async () => {
  const [crashed, other] = [openProcess(), openProcess()];
  expect(await crashed.installations.claimRenewal('T1')).toBe(true);
  other.start();
  await expect.poll(() => clock.waiting).toBe(1);
  expect(exchanges()).toEqual([]);
  await clock.pass(600_000);
  await expect.poll(() => tokenOf(other)).toBe('token 2');
});

test('a refused refresh token that another process has replaced meanwhile is not reported', async () => {
  const [one, other] = [openProcess(), openProcess()];
  const renewed = await other.installations.readStored('T1');
  slack.answers['oauth.v2.access'] = () => {
    if (renewed !== undefined)
      void other.installations.renew(
        { ...renewed, token: 'token 2', refreshToken: 'refresh 2' },
        'refresh 1',
      );
    return { ok: false, error: 'invalid_refresh_token' };
  };
  one.start();
  await expect.poll(() => tokenOf(one)).toBe('token 2');
  await expect.poll(() => clock.waiting).toBe(1);
  expect(one.errors).toEqual([]);
});

test('a refresh token that Slack refuses is reported with the cure', async () => {
  accepted = 'another';
  const one = openProcess();
  one.start();
  await expect
    .poll(() => one.errors)
    .toEqual([
      'Slack refuses to renew the token of this workspace. Install the app there again: https://parley.example/slack/install',
    ]);
});

/** Fails to store installations while `failing` is true. */
function failingStore() {
  const state = { failing: false, failed: 0 };
  const wrap = (keyed: Keyed): Keyed => ({
    ...keyed,
    change: async (key, next, ttlMs) => {
      if (!state.failing || !key.startsWith('installation ')) return keyed.change(key, next, ttlMs, 'nobody');
      state.failed += 1;
      throw new Error('disk full');
    },
  });
  return { state, wrap };
}

test('a renewed token is stored once the store accepts it', async () => {
  const { state, wrap } = failingStore();
  state.failing = true;
  const one = openProcess(wrap);
  one.start();
  await expect.poll(() => state.failed).toBe(1);
  expect(await tokenOf(one)).toBe('token 1');
  await clock.pass(5_000);
  state.failing = false;
  await clock.pass(1_000);
  await expect.poll(() => tokenOf(one)).toBe('token 2');
  expect(exchanges()).toEqual(['refresh 1']);
  expect(one.errors).toEqual([]);
});

test('a renewed token that could not be stored before the process stopped is reported with the cure', async () => {
  const { state, wrap } = failingStore();
  state.failing = true;
  const one = openProcess(wrap);
  one.start();
  await expect.poll(() => state.failed).toBe(1);
  stopping.signal.abort();
  await expect
    .poll(() => one.errors)
    .toEqual([
      'The new token of this workspace could not be stored. Install the app there again: https://parley.example/slack/install',
    ]);
});
