import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TeamsConfig } from '../../../adapters/teams/config.ts';
import { examineTeams } from '../../../adapters/teams/doctor.ts';
import { systemClock } from '../../../src/clock.ts';
import { appSettings } from './app/settings.ts';
import { type Rig, secret, startRig } from './rig.ts';

const DEAD = 'http://127.0.0.1:1';
const OTHER = '11111111-1111-4111-8111-111111111111';
const SECRET = 'fake~secret-of-the-app.0123456789';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

const odd: Server[] = [];
afterEach(() => {
  for (const server of odd.splice(0)) server.close();
  rig.fake.login.expired.clear();
});

/** Starts a server that gives every request the same response. */
async function answering(
  status: number,
  headers: Record<string, string> = {},
  body: object = {},
): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, headers).end(JSON.stringify(body)));
  odd.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const settings = (over: Partial<TeamsConfig> = {}): TeamsConfig => ({
  cloud: 'Public',
  appId: rig.fake.app.id,
  tenant: rig.fake.tenant().id,
  credential: { kind: 'password', password: secret(SECRET) },
  name: 'Parley',
  streaming: true,
  prompts: [],
  allMessages: false,
  targeted: false,
  extendedMarkdown: false,
  publicUrl: rig.url.replace('/api/messages', ''),
  services: rig.fake.services,
  ...over,
});

const examine = (config: TeamsConfig, over: Parameters<typeof appSettings>[0] = {}, clock = systemClock) =>
  examineTeams(config, appSettings({ appId: config.appId, ...over }), clock);
const faults = async (...given: Parameters<typeof examine>) =>
  (await examine(...given)).filter(({ ok }) => !ok).map(({ what, detail }) => `${what}: ${detail}`);
const onlyFault = async (...given: Parameters<typeof examine>) => {
  const found = await faults(...given);
  expect(found).toHaveLength(1);
  return found[0];
};
const elsewhere = (over: Partial<typeof rig.fake.services>) => ({
  services: { ...rig.fake.services, ...over },
});

test('the doctor shows what tokens of single sign-on must contain, and finds a wrong directory', async () => {
  const singleSignOn = { resource: rig.fake.app.resource, application: rig.fake.app.id, nameClaims: [] };
  const signOnOf = async (config: TeamsConfig) =>
    (await examine(config, { singleSignOn })).find(({ what }) => what === 'Teams single sign-on');
  const good = await signOnOf(settings({ singleSignOn }));
  expect(good?.ok).toBe(true);
  for (const part of [
    singleSignOn.resource,
    'https://login.microsoftonline.com/',
    'https://sts.windows.net/',
  ])
    expect(good?.detail).toContain(part);
  const other = { login: await answering(200, {}, { issuer: 'https://login.microsoftonline.com/x/v2.0' }) };
  expect((await signOnOf(settings({ singleSignOn, ...elsewhere(other) })))?.ok).toBe(false);
  expect(await signOnOf(settings())).toBeUndefined();
});

test('the doctor finds no fault in a working setup', async () => {
  const found = await examine(settings());
  expect(found.map(({ what, ok }) => `${what} ${ok}`)).toEqual([
    'Teams sign-in true',
    "Teams' keys true",
    'Teams clock true',
    'Teams messages true',
    'Teams app true',
  ]);
  expect(found.map(({ detail }) => detail).join(' ')).toContain(`as ${rig.fake.app.id} in the directory`);
});

test('the doctor also signs in at Graph if messages are read there', async () => {
  const found = await examine(settings({ allMessages: true }), { allMessages: true });
  expect(found.filter(({ ok }) => ok).map(({ what }) => what)).toContain('Teams sign-in at Graph');
  expect(found.at(-1)?.detail).toContain('asks owners to consent');
  const wrong = { kind: 'password', password: secret('wrong') } as const;
  expect(await faults(settings({ allMessages: true, credential: wrong }))).toHaveLength(2);
});

test('the doctor never shows the secret', async () => {
  const found = [await examine(settings()), await examine(settings({ ...elsewhere({ login: DEAD }) }))];
  expect(JSON.stringify(found)).not.toContain(SECRET);
});

test.each<[string, () => Partial<TeamsConfig>, RegExp]>([
  [
    'a wrong secret',
    () => ({ credential: { kind: 'password', password: secret('wrong') } }),
    /^Teams sign-in: .*AADSTS7000215.*MICROSOFT_APP_PASSWORD to the value of the secret, not to the id/,
  ],
  [
    'a secret that has expired',
    () => {
      rig.fake.login.expired.add(SECRET);
      return {};
    },
    /^Teams sign-in: .*AADSTS7000222.*expired: create a new one for MICROSOFT_APP_PASSWORD/,
  ],
  [
    'an app that the directory does not know',
    () => ({ appId: OTHER }),
    /^Teams sign-in: .*AADSTS700016.*check MICROSOFT_APP_ID and MICROSOFT_APP_TENANT_ID/,
  ],
  [
    'an unknown directory',
    () => ({ tenant: OTHER }),
    /^Teams sign-in: .*AADSTS90002.*check MICROSOFT_APP_TENANT_ID/,
  ],
  [
    'an invalid certificate',
    () => ({ credential: { kind: 'certificate', certificate: secret('x'), key: secret('y') } }),
    /^Teams sign-in: .*not PEM.*MICROSOFT_APP_CERT_FILE/,
  ],
  [
    'a login that cannot be reached',
    () => elsewhere({ login: DEAD }),
    /^Teams sign-in: .*network and its proxy/,
  ],
  [
    'keys that cannot be fetched',
    () => elsewhere({ openId: DEAD }),
    /^Teams' keys: .*cannot be reached \(ECONNREFUSED\).*network and its proxy/,
  ],
])('the doctor reports %s with its cure', async (_, over, said) => {
  expect(await onlyFault(settings(over()))).toMatch(said);
});

test.each<[string, object, RegExp]>([
  ['app', { appid: OTHER }, /issues a token for the app 11111111.*MICROSOFT_APP_ID to the id of the bot/],
  ['directory', { tid: OTHER }, /issues a token for the directory 11111111.*MICROSOFT_APP_TENANT_ID/],
])('the doctor reports a token of another %s', async (_, claims, said) => {
  const token = `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  const login = await answering(200, {}, { access_token: token, expires_in: 3_600 });
  expect(await onlyFault(settings(elsewhere({ login })))).toMatch(said);
});

test('the doctor accepts a token that it cannot read', async () => {
  const login = await answering(200, {}, { access_token: 'sealed', expires_in: 3_600 });
  expect(await faults(settings(elsewhere({ login })))).toEqual([]);
});

test('the doctor reports a wrong clock', async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + 600_000 };
  expect(await onlyFault(settings(), {}, clock)).toMatch(
    /^Teams clock: differs from Microsoft by (599|60\d) s\. Set/,
  );
});

test.each<[number, object, RegExp]>([
  [429, {}, /Wait a few minutes/],
  [503, {}, /Wait a few minutes/],
  [404, {}, /network and its proxy/],
])('the doctor reports status %i for the keys', async (status, body, says) => {
  const openId = await answering(status, { date: new Date().toUTCString() }, body);
  const found = await onlyFault(settings(elsewhere({ openId })));
  expect(found).toContain(`responds with ${status}`);
  expect(found).toMatch(says);
});

test.each<[number, object, RegExp]>([
  [429, {}, /reason is HTTP 429\. Nothing needs to be changed here/],
  [500, { error: 'server_error' }, /reason is server_error\. Nothing needs to be changed here/],
  [503, {}, /reason is HTTP 503\. Nothing needs to be changed here/],
  [200, {}, /reason is HTTP 200\. Something else than Microsoft/],
  [403, {}, /reason is HTTP 403\. Something else than Microsoft/],
  [400, { error: 'invalid_client' }, /reason is invalid_client\. Check MICROSOFT_APP_ID/],
])('the doctor reports status %i with %j at the sign-in', async (status, body, says) => {
  const login = await answering(status, {}, body);
  expect(await onlyFault(settings(elsewhere({ login })))).toMatch(says);
});

test.each<[string, () => Promise<Partial<TeamsConfig>>, RegExp]>([
  [
    'no server listens',
    async () => ({ publicUrl: DEAD }),
    /does not answer \(ECONNREFUSED\)\. Start the bridge/,
  ],
  [
    'another server answers',
    async () => ({ publicUrl: await answering(404) }),
    /responds with 404.*leads to this bridge/,
  ],
  [
    'the bridge is down',
    async () => ({ publicUrl: await answering(502) }),
    /responds with 502: .*Start the bridge/,
  ],
  [
    'requests are limited',
    async () => ({ publicUrl: await answering(429) }),
    /responds with 429\. Wait a minute/,
  ],
  [
    'requests without a token are accepted',
    async () => ({ publicUrl: await answering(200) }),
    /responds with 200.*leads to this bridge/,
  ],
  [
    'a tunnel requires a sign-in',
    async () => ({ publicUrl: await answering(401, { 'www-authenticate': 'Bearer' }) }),
    /responds with 401: a proxy or tunnel in front of the bridge redirects requests or asks for a sign-in.*--allow-anonymous/,
  ],
  [
    'a tunnel redirects',
    async () => ({ publicUrl: await answering(302, { location: 'https://elsewhere.example' }) }),
    /responds with 302: a proxy or tunnel in front of the bridge/,
  ],
])('the doctor reports an address at which %s', async (_, over, said) => {
  const found = await onlyFault(settings(await over()));
  expect(found).toMatch(/^Teams messages: http.*\/api\/messages /);
  expect(found).toMatch(said);
});

test('the doctor reports a missing address', async () => {
  const { publicUrl: _, ...without } = settings();
  expect(await onlyFault(without)).toMatch(/^Teams messages: no public address\. Set PARLEY_PUBLIC_URL/);
});

test('the doctor reports an address without https, and makes no request', async () => {
  const found = await onlyFault(settings({ publicUrl: 'http://parley.example' }));
  expect(found).toMatch(/^Teams messages: http:\/\/parley\.example.*not an https address/);
  const mine = await onlyFault(settings({ publicUrl: 'http://10.0.0.1:3000' }));
  expect(mine).toMatch(/not an https address/);
});

test('the doctor reports faults of the app and its missing values', async () => {
  expect(await onlyFault(settings(), { version: '1.0' })).toMatch(/^Teams app: the version is "1\.0"/);
  const { publicUrl: _, ...incomplete } = appSettings();
  const found = await examineTeams(settings(), incomplete, systemClock);
  expect(found.find(({ ok }) => !ok)?.detail).toMatch(/^server\.publicUrl is not set/);
});
