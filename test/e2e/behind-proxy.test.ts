/**
 * Tests the whole bridge in an office: its network reaches only a proxy (squid), which asks for a password. The names of
 * the services resolve only at the proxy, and their certificates have a private authority. Slack, Teams and the agent
 * platform are our fakes, under the names that the bridge uses by default; the sign-in provider is a real one.
 */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Agent, EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxCatalogue, startSandbox } from '../../sandbox/index.ts';
import { freePort } from '../bench/free-ports.ts';
import { listen } from '../fakes/listen.ts';
import { modelChunk } from '../fakes/model-server.ts';
import { GATEWAY, noOffice, OFFICE, type Office, openOffice } from '../fakes/office/network.ts';
import { openOrigins } from '../fakes/office/origins.ts';
import { noSquid, type Squid, startSquid } from '../fakes/office/squid.ts';
import { CLIENT_ID, CLIENT_SECRET, openProvider, type RealProvider } from '../fakes/oidc/provider.ts';
import { type FakeSlack, startFakeSlack, visibleText } from '../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../fakes/teams/index.ts';
import { appPackage } from '../fakes/teams-app.ts';
import { openAuthority } from '../fakes/xmpp/certificates.ts';
import { ENTRY, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';
import { shown } from './house/teams-stage.ts';
import { directRoom, Visitor } from './house/visitor.ts';

const QUESTION = 'what is the data retention policy?';
const ANSWER = 'how it is deleted';
const BRIDGE = 3_000;
const PUBLIC = 'https://parley.example.test';
const missing = noSquid() ?? noOffice();
if (missing !== undefined) process.stderr.write(`Tests behind a real proxy are skipped: ${missing}\n`);

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 100 });

interface Scene {
  readonly office: Office;
  readonly squid: Squid;
  readonly slack: FakeSlack;
  readonly teams: FakeTeams;
  readonly provider: RealProvider;
  readonly parley: RunningParley;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the services, each with its names. */
async function openServices(opened: AsyncDisposableStack) {
  const ports = { slack: await freePort(), teams: await freePort() };
  const slack = opened.adopt(
    await startFakeSlack({ port: ports.slack, address: 'https://slack.com', deliverTo: 'socket' }),
    (it) => it.close(),
  );
  const teams = opened.adopt(
    await startFakeTeams({ port: ports.teams, address: 'https://smba.trafficmanager.net' }),
    (it) => it.close(),
  );
  teams.upload(appPackage(teams.app.id));
  const sandbox = opened.adopt(await startSandbox({ port: 0, memory: true, options: { paceMs: 0 } }), (it) =>
    it.close(),
  );
  await sandbox.indexed;
  const provider = opened.adopt(await openProvider(PUBLIC, 'https://login.example.test'), (it) => it.close());
  const chunks = [modelChunk({ content: 'The model answers.' }), modelChunk({}, 'stop')];
  const stream = `${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`;
  const model = opened.adopt(
    await listen(
      new Map([
        [
          '/v1/chat/completions',
          (_request, response) =>
            void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream),
        ],
      ]),
      0,
    ),
    (it) => it.close(),
  );
  const portOf = (url: string) => Number(new URL(url).port);
  return {
    slack,
    teams,
    provider,
    hosts: {
      'slack.com': ports.slack,
      'smba.trafficmanager.net': ports.teams,
      'login.botframework.com': ports.teams,
      'login.microsoftonline.com': ports.teams,
      'platform.example.test': portOf(sandbox.url),
      'login.example.test': provider.port,
      'model.example.test': portOf(model.url),
    },
  };
}

const lite = (name: string) => {
  const agent = sandboxCatalogue.agents.find((each) => each.name === name);
  return { interface: 'lite-key', credential: { kind: 'api-key', key: agent?.apiKey ?? '' } };
};

const settings = {
  server: { publicUrl: PUBLIC, host: OFFICE, trustedProxies: [GATEWAY] },
  platform: { baseUrl: 'https://platform.example.test' },
  agents: {
    knowledge: lite('knowledge'),
    'image-demo': lite('image-demo'),
    model: { interface: 'openai', baseUrl: 'https://model.example.test/v1', model: 'small' },
  },
  console: {
    signIn: {
      issuer: 'https://login.example.test',
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      claims: { groups: 'groups' },
    },
  },
};

async function openScene(way: string, opened: AsyncDisposableStack): Promise<Scene> {
  const { slack, teams, provider, hosts } = await openServices(opened);
  const origins = opened.adopt(await openAuthority(), (it) => it.close());
  const opening = opened.adopt(await openAuthority(), (it) => it.close());
  const ports = { proxy: await freePort(), inbound: await freePort() };
  const all = { ...hosts, 'parley.example.test': ports.inbound };
  opened.adopt(await openOrigins(origins, all), (it) => it.close());
  const office = opened.adopt(await openOffice(), (it) => it.close());
  const squid = opened.adopt(
    await startSquid({
      user: 'ann',
      password: 'p@ss/word',
      hosts: Object.keys(all),
      ports,
      bridge: BRIDGE,
      origins,
      opening: way === 'opens' ? opening : undefined,
    }),
    (it) => it.close(),
  );
  const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
  const file = join(data.path, 'parley.yaml');
  writeFileSync(file, JSON.stringify(settings));
  const trusted = way === 'opens' ? opening : origins;
  const environment = {
    PORT: String(BRIDGE),
    PARLEY_CONFIG: file,
    PARLEY_DATA: data.path,
    SLACK_BOT_TOKEN: slack.workspace().token,
    SLACK_APP_TOKEN: slack.app.appToken,
    MICROSOFT_APP_ID: teams.app.id,
    MICROSOFT_APP_TENANT_ID: teams.tenant().id,
    MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
    HTTPS_PROXY: `http://ann:p%40ss%2Fword@${GATEWAY}:${ports.proxy}`,
    NO_PROXY: '',
    NODE_EXTRA_CA_CERTS: trusted.own.certificate,
  };
  const parley = await runParley(data, environment, ENTRY, office.inside);
  opened.defer(async () => void (await parley.terminate()));
  teams.deliverTo(`http://127.0.0.1:${ports.inbound}/api/messages`);
  // People's browsers take the proxy, too.
  const uri = `http://ann:p%40ss%2Fword@localhost:${ports.proxy}`;
  const ca = readFileSync(trusted.own.certificate, 'utf8');
  setGlobalDispatcher(
    new EnvHttpProxyAgent({ httpsProxy: uri, noProxy: '127.0.0.1', requestTls: { ca }, allowH2: false }),
  );
  opened.defer(() => setGlobalDispatcher(new Agent()));
  return { office, squid, slack, teams, provider, parley, folder: data.path, environment };
}

/** Runs a command in the office. Resolves with its standard output, also if it fails. */
async function runInside(
  { office, environment }: Scene,
  words: readonly string[],
  changes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program = '', ...rest] = [...office.inside, process.execPath, ...words];
  const env = { PATH: process.env.PATH, ...environment, ...changes };
  const done = await promisify(execFile)(program, rest, { env }).catch((failed: unknown) => Object(failed));
  return String(done.stdout);
}

describe.skipIf(missing !== undefined).each([
  ['tunnels', /^(CONNECT \S+\n?)+$/],
  ['opens', /^GET https:\/\/login\.botframework\.com\/v1\/\.well-known\/openidconfiguration$/m],
])('behind a proxy that %s TLS', (way, inside) => {
  const opened = new AsyncDisposableStack();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(way, opened);
  });
  afterAll(() => opened.disposeAsync());

  test('nothing else can be reached', async () => {
    const tries = ['https://slack.com', 'http://192.0.2.1', `http://${GATEWAY}:443`];
    const code = `for (const url of ${JSON.stringify(tries)})
      await fetch(url).then(() => console.log('reached'), ({ cause }) => console.log(cause.code))`;
    const codes = await runInside(scene, ['--input-type=module', '--eval', code]);
    expect(codes.trim().split('\n')).toEqual([
      expect.stringMatching(/EAI_AGAIN|ENOTFOUND/),
      'ENETUNREACH',
      'ECONNREFUSED',
    ]);
  });

  test('Slack: a question over Socket Mode is answered, and an image is fetched', async () => {
    const workspace = scene.slack.workspace();
    const room = workspace.channel({ name: 'field' }).id;
    const person = workspace.person({ name: 'Engineer' });
    const answers = (ts: string) => {
      const own = scene.slack.thread(room, ts).filter(({ app, onlyFor }) => app && onlyFor === undefined);
      return own.map(visibleText).join();
    };
    const { ts } = person.mentions(room, QUESTION);
    await eventually(() => answers(ts)).toContain(ANSWER);
    const bytes = readFileSync(new URL('house/red-dot.png', import.meta.url));
    const files = [workspace.file({ name: 'red.png', bytes, mimetype: 'image/png' })];
    const asked = person.mentions(room, 'image-demo: what is this?', { files });
    await eventually(() => answers(asked.ts)).toContain('red.png');
  });

  test('Teams: a question is proven with Microsoft’s keys, and answered', async () => {
    const person = scene.teams.tenant().person({ name: 'Engineer' });
    const chat = person.dm();
    person.says(chat, QUESTION);
    await eventually(() => shown(scene.teams, chat).join()).toContain(ANSWER);
  });

  test('the console: a person signs in at the provider, and a model answers', async () => {
    const visitor = await Visitor.signIn(PUBLIC, scene.provider, 'ada');
    const question = await visitor.ask(directRoom(visitor, 'model'), 'Hello?');
    expect(JSON.stringify(await visitor.answerTo(question))).toContain('The model answers.');
  });

  test('doctor finds no fault, and names the proxy of each host', async () => {
    const { findings } = JSON.parse(await runInside(scene, [ENTRY, 'doctor', '--json']));
    const faults = findings.filter(({ ok }: { readonly ok: boolean }) => !ok);
    expect(faults).toEqual([]);
    const origin = new URL(scene.environment.HTTPS_PROXY ?? '').origin;
    for (const host of [
      'slack.com',
      'login.microsoftonline.com',
      'platform.example.test',
      'login.example.test',
    ])
      expect(findings).toContainEqual({ what: `proxy for ${host}`, ok: true, detail: origin });
  });

  test('doctor says that an authority is unknown', async () => {
    const written = await runInside(scene, [ENTRY, 'doctor', '--json'], { NODE_EXTRA_CA_CERTS: '' });
    expect(written).toMatch(/certificate/);
  });

  test('the proxy saw the calls to each service and refused none, and no output contains the password', async () => {
    // The proxy logs a tunnel when it ends.
    expect(await scene.parley.terminate()).toBe(0);
    const all = scene.squid.requests();
    expect(all.filter(({ result }) => /DENIED|NONE\/4/.test(result))).toEqual([]);
    const own = all.filter(({ client }) => client === OFFICE).map((each) => each.line);
    const hosts = own.flatMap((each) => /^CONNECT (\S+):443$/.exec(each)?.[1] ?? []);
    expect([...new Set(hosts)].toSorted()).toEqual([
      'login.botframework.com',
      'login.example.test',
      'login.microsoftonline.com',
      'model.example.test',
      'parley.example.test',
      'platform.example.test',
      'slack.com',
      'smba.trafficmanager.net',
    ]);
    expect(own.join('\n')).toMatch(inside);
    expect(scene.parley.output()).not.toMatch(/p@ss|p%40ss/);
  });
});
