/**
 * Tests how tokens are requested from Microsoft with a secret, a certificate or a managed identity, as rarely as
 * possible.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHttp, type Http } from '../../../../adapters/teams/api/http.ts';
import type { TeamsConfig, TeamsCredential } from '../../../../adapters/teams/config.ts';
import { createTokens } from '../../../../adapters/teams/sign-in/tokens.ts';
import { type FakeTeams, startFakeTeams } from '../../../fakes/teams/index.ts';
import { makeCertificate } from '../../../fakes/teams/tokens/certificate.ts';
import { IDENTITY_HEADER } from '../../../fakes/teams/tokens/login.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { secret } from '../rig.ts';

let fake: FakeTeams;
let http: Http;
let clock: VirtualClock;
beforeEach(async () => {
  clock = createVirtualClock({ start: Date.now() });
  fake = await startFakeTeams({ clock });
  http = createHttp();
});
afterEach(async () => {
  await http.close();
  await fake.close();
});

const signal = new AbortController().signal;

function tokensWith(credential: TeamsCredential) {
  const config = {
    cloud: 'Public',
    appId: fake.app.id,
    tenant: fake.tenant().id,
    credential,
    services: fake.services,
  };
  return createTokens({ config: config as TeamsConfig, http, clock });
}

const password = (text = [...fake.app.secrets][0] ?? ''): TeamsCredential => ({
  kind: 'password',
  password: secret(text),
});
const asked = () => fake.log.calls.filter(({ method }) => method === 'token');

/** Resolves or rejects as the promise does. Meanwhile, the virtual time passes. */
async function whileTimePasses<Value>(promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await vi.waitFor(async () => {
    await clock.pass(50);
    expect(isSettled).toBe(true);
  });
  return promise;
}

describe('a token', () => {
  test('is requested once for 100 concurrent callers, and cached', async () => {
    const tokens = tokensWith(password());
    const got = await Promise.all(Array.from({ length: 100 }, () => tokens.get('connector', signal)));
    expect(new Set(got).size).toBe(1);
    expect(await tokens.get('connector', signal)).toBe(got[0]);
    expect(asked()).toHaveLength(1);
  });

  test('for Graph is a different one', async () => {
    const tokens = tokensWith(password());
    const both = [await tokens.get('connector', signal), await tokens.get('graph', signal)];
    expect(fake.login.issued.map(({ value, audience }) => [value, audience])).toEqual([
      [both[0], 'https://api.botframework.com'],
      [both[1], 'https://graph.microsoft.com'],
    ]);
  });

  test('is renewed before its end; the old one is used until the new one arrives', async () => {
    const tokens = tokensWith(password());
    const first = await tokens.get('connector', signal);
    await clock.pass(56 * 60_000);
    expect(await tokens.get('connector', signal)).toBe(first);
    await expect.poll(() => tokens.get('connector', signal)).not.toBe(first);
    expect(asked()).toHaveLength(2);
  });

  test('is not used after its end', async () => {
    const tokens = tokensWith(password());
    const first = await tokens.get('connector', signal);
    await clock.pass(61 * 60_000);
    expect(await tokens.get('connector', signal)).not.toBe(first);
  });

  test('is replaced once after concurrent refusals', async () => {
    const tokens = tokensWith(password());
    const first = await tokens.get('connector', signal);
    const got = await Promise.all(Array.from({ length: 20 }, () => tokens.get('connector', signal, first)));
    expect(new Set(got).size).toBe(1);
    expect(got[0]).not.toBe(first);
    expect(asked()).toHaveLength(2);
  });

  test('is used until its end while the login is down', async () => {
    const tokens = tokensWith(password());
    const first = await tokens.get('connector', signal);
    fake.plant({ kind: 'status', status: 503, method: 'token', count: 1_000 });
    await clock.pass(57 * 60_000);
    for (let nth = 0; nth < 5; nth++) expect(await tokens.get('connector', signal)).toBe(first);
    await clock.pass(4 * 60_000);
    await expect(tokens.get('connector', signal)).rejects.toMatchObject({ code: 'channel-unavailable' });
  });
});

describe('a secret that was rotated (S21)', () => {
  test('is used for the next token', async () => {
    let now = [...fake.app.secrets][0] ?? '';
    const tokens = tokensWith({ kind: 'password', password: { reveal: () => now } });
    const first = await tokens.get('connector', signal);
    fake.app.secrets.clear();
    fake.app.secrets.add('the new one');
    now = 'the new one';
    expect(await tokens.get('connector', signal, first)).not.toBe(first);
  });

  test('is read again if it was refused, because its file may have been blank just then', async () => {
    let now = 'the old one';
    const tokens = tokensWith({ kind: 'password', password: { reveal: () => now } });
    const token = tokens.get('connector', signal);
    await vi.waitFor(() => expect(asked()).toHaveLength(1));
    now = [...fake.app.secrets][0] ?? '';
    expect(await whileTimePasses(token)).toMatch(/./);
    expect(asked()).toHaveLength(2);
  });
});

describe('if Microsoft issues no token', () => {
  test('the error contains the cure, and not the secret', async () => {
    const failed = tokensWith(password('a wrong one'))
      .get('connector', signal)
      .catch((thrown: unknown) => thrown);
    const error = await whileTimePasses(failed);
    expect(error).toMatchObject({
      code: 'channel-unavailable',
      message: expect.stringContaining('MICROSOFT_APP_PASSWORD'),
    });
    expect(JSON.stringify(error)).not.toContain('a wrong one');
  });

  test.each([
    { kind: 'status', status: 503 },
    { kind: 'status', status: 429 },
    { kind: 'reset' },
  ] as const)('the request is repeated after a growing pause, and not by each reply (F14): %j', async (fault) => {
    const tokens = tokensWith(password());
    const planted = fake.plant({ ...fault, method: 'token', count: 1_000 });
    const tried = async (times: number) => {
      for (let nth = 0; nth < times; nth++) {
        await expect(tokens.get('connector', signal)).rejects.toMatchObject({ code: 'channel-unavailable' });
      }
    };
    await tried(20);
    expect(asked()).toHaveLength(1);
    await clock.pass(1_001);
    await tried(20);
    expect(asked()).toHaveLength(2);
    await clock.pass(1_001);
    await tried(20);
    expect(asked()).toHaveLength(2);
    planted.remove();
    await clock.pass(1_001);
    expect(await tokens.get('connector', signal)).toMatch(/./);
  });

  test('an aborted caller stops waiting, and the others still get the token', async () => {
    fake.plant({ kind: 'slow', ms: 2_000, method: 'token', count: 1 });
    const tokens = tokensWith(password());
    const end = new AbortController();
    const gone = tokens.get('connector', end.signal);
    const stays = tokens.get('connector', signal);
    end.abort(new Error('stopped'));
    await expect(gone).rejects.toThrow('stopped');
    await expect.poll(() => clock.waiting).toBeGreaterThan(0);
    await clock.pass(2_000);
    expect(await stays).toMatch(/./);
    expect(asked()).toHaveLength(1);
  });
});

describe('a certificate', () => {
  const made = makeCertificate();
  const certified = (key = made.key): TeamsCredential => ({
    kind: 'certificate',
    certificate: secret(made.certificate),
    key: secret(key),
  });

  test('that is registered gets a token', async () => {
    fake.login.certificates.add(made.certificate);
    const token = await tokensWith(certified()).get('connector', signal);
    expect(token).toBe(fake.login.issued[0]?.value);
  });

  test('that is not registered gets no token', async () => {
    const token = tokensWith(certified()).get('connector', signal);
    await expect(whileTimePasses(token)).rejects.toMatchObject({ code: 'channel-unavailable' });
  });

  test('with an invalid key is reported without showing the key', async () => {
    const tokens = tokensWith(certified('-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----'));
    const error = await tokens.get('connector', signal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('MICROSOFT_APP_KEY_FILE') });
    expect(JSON.stringify(error)).not.toContain('PRIVATE');
    expect(asked()).toEqual([]);
  });
});

describe('a machine with an identity', () => {
  const url = (path: string) => new URL(`../../../../adapters/teams/${path}`, import.meta.url).href;

  /** Requests a token in a new process, because Azure passes the identity in environment variables. */
  const ask = (client: string, before = '') =>
    promisify(execFile)(
      process.execPath,
      [
        ...['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval'],
        `${before}
         import { createMachineIdentity } from '${url('sdk.ts')}';
         const machine = createMachineIdentity({ appId: '${client}', tenant: '${fake.tenant().id}' });
         console.log(await machine('https://api.botframework.com/.default', false));`,
      ],
      { env: { IDENTITY_ENDPOINT: `${fake.url}/msi/token`, IDENTITY_HEADER } },
    );

  test('needs no secret', async () => {
    const { stdout } = await ask(fake.app.id);
    expect(stdout.trim()).toBe(fake.login.issued[0]?.value);
  });

  test('explains how to install the optional package that it needs', async () => {
    const without = `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) => next(name === 'botbuilder' ? 'not-installed' : name, context) });`;
    const cure =
      /optional package not-installed, which is not installed\. Install Parley without --omit=optional/;
    await expect(ask(fake.app.id, without)).rejects.toThrow(cure);
  });

  test('of another app gets no token', async () => {
    await expect(ask('11111111-2222-4333-8444-555555555555')).rejects.toThrow(
      /no managed identity for the bot\. Run the bridge in Azure/,
    );
    expect(fake.login.issued).toEqual([]);
  });
});
