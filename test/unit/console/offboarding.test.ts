/** Tests what happens to people whom a real OpenID provider (npm oidc-provider) no longer accepts, in virtual time. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Provider } from '../../../adapters/console/identity/provider.ts';
import { OUTAGE_MS, Recheck } from '../../../adapters/console/identity/recheck.ts';
import type { ConsoleState } from '../../../adapters/console/wire.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../slack/keyed.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { json, type Rig } from './rig.ts';

const MINUTE = 60_000;
const SCOPES = ['openid', 'profile', 'email'];

let provider: RealProvider;
let rig: Rig;
let clock: VirtualClock;
let logged: string[];
let stored: Map<string, unknown>;
afterEach(async () => {
  await rig.close();
  await provider.close();
});

async function open({ scopes = SCOPES, refreshTokens = true } = {}): Promise<void> {
  const port = await freePort();
  provider = await openProvider(`http://127.0.0.1:${port}`, undefined, refreshTokens);
  clock = createVirtualClock({ start: Date.now() });
  logged = [];
  stored = new Map();
  const secrets = memoryKeyed(stored, clock);
  rig = await openSignInRig(signInConfig(provider.issuer, port, { scopes }), {
    host: (host) => {
      const log = (fields: object, text: string) => void logged.push(`${JSON.stringify(fields)} ${text}`);
      Object.assign(host, { clock, secrets, log: { debug: log, info: log, warn: log, error: log } });
    },
  });
}

const at = (path: string) => `${base(rig)}${path}`;
const status = async (browser: Browser, path = '/console/state') => (await browser.visit(at(path))).status;
const signInAs = (account: string) => {
  provider.account = account;
  return signIn(rig, new Browser());
};
const idOf = async (browser: Browser) =>
  (JSON.parse((await browser.visit(at('/console/state'))).text) as ConsoleState).me ?? '';
const accepts = (person: string, use: 'ask' | 'link' = 'ask') =>
  rig.adapter.abilities.isAccepted?.(person, use);

describe('a person who is disabled at the provider', () => {
  beforeEach(() => open());

  it('reads nothing more 35 s after the last check, in no session, and signs in only if enabled again', async () => {
    const [laptop, phone, ben] = [await signInAs('ada'), await signInAs('ada'), await signInAs('ben')];
    const me = await idOf(laptop);
    const room = `/console/rooms/${encodeURIComponent(`direct~${me}~knowledge`)}`;
    await laptop.visit(at(`${room}/messages`), json({ as: me, text: 'canary', files: [], nonce: 'n' }));
    provider.disabled.add('ada');
    await clock.pass(34_999);
    expect(await status(laptop, room)).toBe(200);
    await clock.pass(1);
    const refused = await laptop.visit(at(room));
    expect([refused.status, refused.text]).toEqual([401, expect.not.stringContaining('canary')]);
    expect(await status(phone)).toBe(401);
    expect(await status(ben)).toBe(200);
    expect(await accepts(me)).toBe(false);
    expect(rig.host.acts.at(-1)).toMatchObject({ person: me, action: 'sign-in', outcome: 'refused' });
    provider.disabled.clear();
    expect(await status(laptop)).toBe(401);
    expect(await status(await signInAs('ada'))).toBe(200);
    expect(await accepts(me)).toBe(true);
  });

  it('loses open pages within 60 s, and other people keep theirs', async () => {
    const [ada, ben] = [await signInAs('ada'), await signInAs('ben')];
    const follow = (browser: Browser) =>
      fetch(at('/console/events'), { headers: { cookie: browser.cookies(new URL(base(rig)).host) } });
    const [own, other] = [await follow(ada), await follow(ben)];
    provider.disabled.add('ada');
    await clock.pass(55_000);
    // Reading to the end resolves only because the stream was closed.
    await own.text();
    await expect.poll(() => provider.refreshes).toBe(1);
    expect(await status(ben)).toBe(200);
    await other.body?.cancel();
  });

  it('keeps links, because the token may have ended only with the session at the provider', async () => {
    const me = await idOf(await signInAs('ada'));
    provider.disabled.add('ada');
    await clock.pass(36_000);
    expect(await accepts(me, 'link')).toBe(true);
    expect(await accepts(me)).toBe(false);
  });
});

it('a link ends with the person if the refresh token outlives the session, also after they signed out', async () => {
  await open({ scopes: [...SCOPES, 'offline_access'] });
  const ada = await signInAs('ada');
  const me = await idOf(ada);
  await ada.visit(at('/console/sign-out'), { method: 'POST' });
  await clock.pass(2 * 24 * 60 * MINUTE);
  expect(await accepts(me, 'link')).toBe(true);
  provider.disabled.add('ada');
  await clock.pass(36_000);
  expect(await accepts(me, 'link')).toBe(false);
});

describe('a provider that is down', () => {
  beforeEach(() => open());

  it('throws nobody out for 15 minutes, then lets nobody in, and everybody again when it is back', async () => {
    const ada = await signInAs('ada');
    const me = await idOf(ada);
    provider.down = true;
    for (let minute = 0; minute < 16; minute += 1) {
      await clock.pass(MINUTE);
      expect([minute, await status(ada)]).toEqual([minute, minute * MINUTE < OUTAGE_MS ? 200 : 503]);
    }
    await expect(accepts(me)).rejects.toMatchObject({ code: 'sign-in-unavailable' });
    expect(logged.filter((line) => line.includes('could not be asked'))[0]).toContain(
      '"sign-in-unavailable"',
    );
    provider.down = false;
    await clock.pass(5_000);
    expect(await status(ada)).toBe(200);
  });

  it('counts anew for people who were not there during an earlier outage', async () => {
    const [ada, ben] = [await signInAs('ada'), await signInAs('ben')];
    const [me, his] = [await idOf(ada), await idOf(ben)];
    await clock.pass(MINUTE);
    provider.down = true;
    expect(await accepts(me)).toBe(true);
    await clock.pass(120 * MINUTE);
    expect(await accepts(his)).toBe(true);
    await expect(accepts(me)).rejects.toMatchObject({ code: 'sign-in-unavailable' });
  });

  it('is not asked for every request', async () => {
    const ada = await signInAs('ada');
    await clock.pass(MINUTE);
    provider.down = true;
    expect(await status(ada)).toBe(200);
    provider.down = false;
    expect(await status(ada)).toBe(200);
    expect(provider.refreshes).toBe(0);
    await clock.pass(5_000);
    expect(await status(ada)).toBe(200);
    expect(provider.refreshes).toBe(1);
  });
});

describe('a refresh token that works once', () => {
  beforeEach(() => open());

  it('is used by one tab and one replica only, and its successor by the next check', async () => {
    const ada = await signInAs('ada');
    const me = await idOf(ada);
    const config = signInConfig(provider.issuer, rig.port);
    const replica = new Recheck({
      provider: new Provider(config, clock),
      host: rig.host,
      tenant: 'console',
      offline: false,
      refused: async () => undefined,
    });
    for (const round of [1, 2, 3]) {
      await clock.pass(36_000);
      const tabs = [status(ada), status(ada), accepts(me)];
      const other = replica.isAccepted(me);
      await expect.poll(() => provider.refreshes).toBe(round);
      expect(await Promise.all(tabs)).toEqual([200, 200, true]);
      // The other replica looks again every 250 ms.
      await clock.pass(250);
      expect(await other).toBe(true);
      expect(provider.refreshes).toBe(round);
    }
  });

  it('is taken over from a process that was killed, after 20 s', async () => {
    const ada = await signInAs('ada');
    await clock.pass(36_000);
    for (const [key, grant] of stored)
      if (key.startsWith('sign-in ')) stored.set(key, { ...(grant as object), claimed: clock.now() });
    const state = status(ada);
    await clock.pass(19_000);
    expect(provider.refreshes).toBe(0);
    await clock.pass(1_500);
    expect(await state).toBe(200);
  });

  it('is deleted with the last session, and never logged', async () => {
    const ada = await signInAs('ada');
    const tokens = [...stored.values()].flatMap((value) => (value as { token?: string }).token ?? []);
    expect(tokens).toHaveLength(1);
    await clock.pass(36_000);
    expect(await status(ada)).toBe(200);
    expect(JSON.stringify([...stored.values()])).not.toContain(tokens[0]);
    provider.down = true;
    await clock.pass(36_000);
    await status(ada);
    expect(logged.join('\n')).not.toContain(tokens[0]);
    await ada.visit(at('/console/sign-out'), { method: 'POST' });
    expect([...stored.keys()].filter((key) => key.startsWith('sign-in '))).toEqual([]);
  });
});

it('a provider without refresh tokens is named in the log, and people stay signed in', async () => {
  await open({ refreshTokens: false });
  const ada = await signInAs('ada');
  expect(logged.join('\n')).toContain('issued no refresh token');
  provider.disabled.add('ada');
  await clock.pass(MINUTE);
  expect(await status(ada)).toBe(200);
});
