import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { consoleSettings } from '../../../adapters/console/settings.ts';
import { channels } from '../../../adapters/registry.ts';
import { credentialOf } from '../../../src/config/schema.ts';
import { BridgeError } from '../../../src/errors.ts';
import { ownSettings, oneAgent as sandbox } from '../../fakes/house.ts';
import { type LoadOptions, loadConfig as loadWith } from '../../fakes/load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function write(text: string): string {
  files += 1;
  const path = join(folder, `config-${files}.yaml`);
  writeFileSync(path, text);
  return path;
}

const openAgent = `
platform: { baseUrl: https://platform.example.org/base }
agents:
  helper:
    interface: open
    expertCode: help-desk
    credential: { kind: client-account, client: c, secret: hush-hush, account: service }
`;
const loadConfig = (options: LoadOptions) => loadWith({ channels, ...options });

function refusal(text: string, environment: Record<string, string> = {}): BridgeError {
  try {
    loadConfig({ environment, file: write(text), sandbox });
  } catch (thrown) {
    if (thrown instanceof BridgeError) return thrown;
    throw thrown;
  }
  throw new Error('the configuration was taken');
}

describe('reading the configuration', () => {
  it('works without a file: everything is embedded', () => {
    const { config, embedded } = loadConfig({ environment: {}, sandbox });
    expect(embedded).toBe(true);
    expect(config.server).toEqual({ host: '127.0.0.1', port: 3000, sourceHours: 24, trustedProxies: [] });
    expect(config.data).toBe('.parley');
    expect(config.platforms.main?.baseUrl).toBe('http://127.0.0.1:3001');
    expect(config.defaultAgent).toBe('only');
  });

  it('reads the file, and lets environment variables override it', () => {
    const file = write(`${openAgent}\nserver: { port: 4000, host: 127.0.0.2 }\n`);
    const { config, embedded } = loadConfig({
      environment: { PORT: '5000', PARLEY_DATA: '/data' },
      file,
      sandbox,
    });
    expect(embedded).toBe(false);
    expect(config.server).toMatchObject({ port: 5000, host: '127.0.0.2' });
    expect(config.data).toBe('/data');
    expect(Object.keys(config.agents)).toEqual(['helper']);
  });

  it('treats a platform on this machine without agents as a sandbox', () => {
    const environment = { PLATFORM_BASE_URL: 'http://127.0.0.1:4444' };
    const { config, embedded } = loadConfig({ environment, sandbox });
    expect(embedded).toBe(false);
    expect(config.platforms.main?.baseUrl).toBe('http://127.0.0.1:4444');
    expect(Object.keys(config.agents)).toEqual(['only']);
  });

  it('treats a blank variable as unset', () => {
    expect(loadConfig({ environment: { PORT: '' }, sandbox }).config.server.port).toBe(3000);
  });
});

describe('secrets', () => {
  const key = (written: string) => `
platform: { baseUrl: https://platform.example.org }
agents:
  a: { interface: lite-key, credential: { kind: api-key, key: ${written} } }
`;
  const read = (written: string, environment: Record<string, string> = {}) => {
    const agent = loadConfig({ environment, file: write(key(written)), sandbox }).config.agents.a;
    const credential = agent && credentialOf(agent);
    if (credential?.kind !== 'api-key') throw new Error('no key');
    return credential.key;
  };

  it('come from the file, a variable or a separate file, and are never printed', () => {
    expect(read('plain-text').reveal()).toBe('plain-text');
    expect(read('{ env: AGENT_KEY }', { AGENT_KEY: 'from-env' }).reveal()).toBe('from-env');
    const secret = read(`{ file: ${write('from-file\n')} }`);
    expect(secret.reveal()).toBe('from-file');
    expect(`${secret} ${JSON.stringify({ secret })} ${inspect({ secret })}`).not.toContain('from-file');
  });

  it('in files are read again when they change, and blank ones are ignored', () => {
    const path = write('first');
    const secret = read(`{ file: ${path} }`);
    writeFileSync(path, 'second-one');
    expect(secret.reveal()).toBe('second-one');
    writeFileSync(path, '   ');
    expect(secret.reveal()).toBe('second-one');
  });

  it('that are blank or missing are refused by name', () => {
    for (const [written, says] of [
      ['""', 'is blank'],
      ['{ env: NOWHERE }', 'names the variable NOWHERE, which is not set. Set the variable.'],
      ['{ file: /nowhere/at/all }', 'Put the secret into that file, or name another file.'],
    ] as const) {
      const error = refusal(key(written));
      expect(error.code).toBe('config-invalid');
      expect(error.message).toContain('agents.a.credential.key');
      expect(error.message).toContain(says);
    }
    expect(refusal('', { PARLEY_CONSOLE_TOKEN: ' ' }).message).toContain(
      'PARLEY_CONSOLE_TOKEN: console.token is blank',
    );
  });

  it('that were written as numbers are refused without being shown', () => {
    expect(refusal(key('4711471147')).message).not.toContain('4711471147');
  });

  it.each([
    ['SLACK_API_URL', 'xoxb-0000000000-fakefakefake'],
    ['PLATFORM_BASE_URL', 'app-0a1b2c3d4e5f6a7b8c9d'],
    ['PORT', 'app-0a1b2c3d4e5f6a7b8c9d'],
    ['PARLEY_PUBLIC_URL', 'fake.A8Q8~secret-of-the-app'],
    ['PLATFORM_BASE_URL', 'ftp://someone:fake-password@platform.example'],
  ])('in a wrong place are not shown: %s', (name, written) => {
    const { message } = refusal('', { [name]: written });
    expect(message).toContain(`${name}: `);
    expect(message).toContain(`a text of ${written.length} characters, which may be a secret`);
    expect(message).not.toContain(written.slice(0, 10));
  });
});

describe('faults', () => {
  it('are reported together, each with its place and cure', () => {
    const error = refusal(`server:
  port: 3oo0
  hots: 127.0.0.1
log: { level: loud }
agents:
  one:
    interface: lite
  two:
    interface: open
    expertCod: x
    credential: { kind: client-account, client: a, secret: b, account: c }
defaultAgent: on
`);
    const lines = error.message.split('\n').map((line) => line.replace(/^ {2}\S*?(config-\d+\.yaml)/, '$1'));
    const told = (place: string, text: string) =>
      expect(
        lines.some((line) => line.includes(`yaml:${place}: `) && line.includes(text)),
        `${place} ${text}\n${error.message}`,
      ).toBe(true);
    told('2:3', 'server.port is "3oo0". Give a number.');
    told('3:3', 'server.hots is not a setting. Did you mean "host"?');
    told('4:8', 'log.level is "loud". Give one of debug, info, warn, error.');
    told('7:5', 'agents.one.interface is "lite". Give one of open, lite-key, lite-token, openai, function.');
    told('10:5', 'agents.two.expertCod is not a setting. Did you mean "expertCode"?');
    told('8:3', 'agents.two.expertCode is missing');
    told('12:1', 'defaultAgent names the agent "on"');
  });

  it('of the environment name the variable', () => {
    const error = refusal('', { PORT: 'many', PARLEY_LOG_LEVEL: 'loud' });
    expect(error.message).toContain('PORT: server.port is "many"');
    expect(error.message).toContain('PARLEY_LOG_LEVEL: log.level');
  });

  it('of YAML name the line', () => {
    const error = refusal('data: x\nserver: [1\nlog: y\n');
    expect(error.code).toBe('config-invalid');
    expect(error.message).toMatch(/yaml:2:9: the line opens a list/);
  });

  it('of a missing file name it', () => {
    expect(() => loadConfig({ environment: { PARLEY_CONFIG: '/nowhere/parley.yaml' } })).toThrow(
      /\/nowhere\/parley\.yaml: the file does not exist/,
    );
  });

  it('include agents without a platform, and a platform without agents', () => {
    expect(refusal(openAgent.replace(/platform: .*\n/, '')).message).toContain('platform.baseUrl is missing');
    expect(refusal('platform: { baseUrl: https://platform.example.org }').message).toContain(
      'names no agent',
    );
  });

  it('include addresses that would send credentials unencrypted or to the wrong place', () => {
    const at = (url: string) => refusal(openAgent.replace('https://platform.example.org/base', url)).message;
    expect(at('http://platform.example.org')).toContain('unencrypted http');
    expect(at('https://u:p@platform.example.org')).toContain('credentials');
    expect(at('https://platform.example.org/?a=1')).toContain('query');
    for (const odd of [
      'https://u@platform.example.org',
      'https://:p@platform.example.org',
      'https://p.example/#a',
    ])
      expect(at(odd)).toContain('contains a query, a fragment or credentials');
    const allowed = openAgent.replace('baseUrl: https', 'allowInsecureHttp: true, baseUrl: http');
    expect(() => loadConfig({ environment: {}, file: write(allowed) })).not.toThrow();
  });

  it.each([
    ['access', '{ guests: true }'],
    ['files', 'upload'],
  ])('include %s beside a rules file', (name, value) => {
    const rules = write('rules: [{ allow: ask, who: member }]');
    const { message } = refusal(`rules: ${rules}\n${name}: ${value}\n`);
    expect(message).toContain(`${name} is set together with \`rules\``);
  });

  it('include a room line without room and kind, which would apply everywhere', () => {
    expect(refusal('rooms: [{ channel: teams, account: admin }]\n').message).toContain(
      'rooms.0 needs `room`, `kind` or both',
    );
  });

  it('include accounts that would lead to the token of a person', () => {
    const error = refusal(
      "rooms: [{ room: general, account: 'x (teams/T1/ada)' }]\nidentity: { table: [{ email: a@b.de, account: 'x (teams/T1/%)' }] }\n",
    );
    expect(error.message).toMatch(/rooms\.0\.account must not end like/);
    expect(error.message).toMatch(/identity\.table\.0\.account must not end like/);
  });

  it('include rooms of unknown agents and nameless lines of the identity table', () => {
    const error = refusal('rooms: [{ room: general, agent: onyl }]\nidentity: { table: [{ account: x }] }\n');
    expect(error.message).toContain(
      'rooms.0.agent names the agent "onyl", which is not configured. Did you mean "only"?',
    );
    expect(error.message).toContain('identity.table.0 names no person');
  });

  it('include settings of a room that its agent would ignore', () => {
    const key = '{ interface: lite-key, credential: { kind: api-key, key: k } }';
    const open = '{ interface: open, expertCode: g, credential: { kind: idp, tokenFile: /run/token } }';
    const faulty = (rooms: string) =>
      refusal(`agents: { guide: ${open}, books: ${key} }\nrooms: [${rooms}]\n`).message;
    const usual = faulty('{ room: a, layoutMode: retrieval }, { room: b, agent: books, layoutMode: chat }');
    expect(usual).toContain('rooms.0.layoutMode has no effect on "guide", whose interface is `open`');
    expect(usual).not.toContain('rooms.1');
    expect(faulty('{ room: a, agent: guide, workspaceIds: ["1"] }')).toContain('rooms.0.workspaceIds has no');
  });
});

describe('a console that other machines can reach', () => {
  const load = (environment: Record<string, string>) => loadConfig({ environment, sandbox });
  const token = (environment: Record<string, string>) => {
    expect(() => load(environment)).not.toThrow();
    return consoleSettings(environment).parse(ownSettings('console', environment)).token?.reveal();
  };

  it('needs a token', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'chat.example.org']) {
      expect(() => load({ PARLEY_HOST: host })).toThrow(
        expect.objectContaining({ code: 'console-token-missing' }),
      );
    }
    const host = { PARLEY_HOST: '0.0.0.0' };
    expect(token({ ...host, PARLEY_CONSOLE_TOKEN: 'open-sesame-and-close' })).toBe('open-sesame-and-close');
    const file = write('open-sesame-in-a-file\n');
    expect(token({ ...host, PARLEY_CONSOLE_TOKEN_FILE: file })).toBe('open-sesame-in-a-file');
  });

  it('needs a token of 16 characters', () => {
    const { message } = refusal('', { PARLEY_CONSOLE_TOKEN: 'fifteen letters' });
    expect(message).toContain('PARLEY_CONSOLE_TOKEN: console.token has only 15 characters');
    expect(token({ PARLEY_CONSOLE_TOKEN: 'sixteen letters!' })).toBeDefined();
  });

  const withSignIn = (signIn: string, more = '', server = 'publicUrl: https://chat.example.org') =>
    `server: { host: 0.0.0.0, ${server} }\nconsole: { signIn: { clientId: parley, ${signIn} } ${more} }\n`;
  const ISSUER = 'issuer: https://login.example.org';

  it('may have a sign-in in place of a token', () => {
    const load = (text: string) => loadConfig({ environment: {}, file: write(text), sandbox });
    expect(() => load(withSignIn(ISSUER))).not.toThrow();
    expect(() =>
      load(withSignIn('issuer: http://127.0.0.1:8080', '', 'publicUrl: http://localhost:3000')),
    ).not.toThrow();
  });

  it.each([
    [withSignIn('issuer: http://login.example.org'), 'console.signIn.issuer must begin with https'],
    [withSignIn('issuer: login'), 'Give an http or https address'],
    [withSignIn(`${ISSUER}, scopes: [profile]`), 'console.signIn.scopes must contain openid'],
    [withSignIn(`${ISSUER}, clientSecret: ''`), 'console.signIn.clientSecret is blank'],
    [withSignIn(`${ISSUER}, audience: x`), 'console.signIn'],
    [
      withSignIn(ISSUER, ', token: open-sesame-and-close'),
      'console.token is set together with console.signIn',
    ],
    [
      withSignIn(ISSUER, ', people: [{ id: a, name: A }]'),
      'console.people is set together with console.signIn',
    ],
    [withSignIn(ISSUER, '', 'sourceHours: 1'), 'console.signIn needs server.publicUrl'],
    [withSignIn(ISSUER, '', 'publicUrl: http://chat.example.org'), 'server.publicUrl must begin with https'],
    [
      'console: { token: open-sesame-and-close, people: [{ id: a, name: A }, { id: b, name: B }] }',
      'console.people lists 2 people, but they would share one token, so the console could not tell them apart',
    ],
  ])('is refused with a sign-in or token that cannot hold: %s', (text, says) => {
    expect(refusal(text).message).toContain(says);
  });

  it('trusts proxies by address or network only', () => {
    const settings = (written: string) => `server: { trustedProxies: [${written}] }\n`;
    const file = write(settings("10.0.0.0/8, '2001:db8::1'"));
    const { trustedProxies } = loadConfig({ environment: {}, file, sandbox }).config.server;
    expect(trustedProxies).toEqual(['10.0.0.0/8', '2001:db8::1']);
    for (const wrong of ['everybody', '10.0.0.0/33', 'true', 'proxy.example'])
      expect(() => loadConfig({ environment: {}, file: write(settings(wrong)), sandbox }), wrong).toThrow();
  });

  it('needs none on this machine, or when it is off', () => {
    for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost'])
      expect(() => load({ PARLEY_HOST: host })).not.toThrow();
    const file = write('console: { enabled: false }\nserver: { host: 0.0.0.0 }\n');
    expect(() => loadConfig({ environment: {}, file, sandbox })).not.toThrow();
  });
});

describe('faults behind others', () => {
  const faultsOf = (text: string) =>
    refusal(text)
      .message.split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/^\S+yaml\S*: /, ''));
  const platform = 'platform: { baseUrl: https://platform.example.org }';

  it('a missing interface hides no other fault of its agent, nor of another', () => {
    expect(
      faultsOf(`
${platform}
agents:
  one: { descripton: One, icon: 5, credential: { kind: api-key } }
  two: { interface: opn, seesImages: maybe, description: 7 }
  three: { interface: lite-key, credential: { kind: api-key, key: k } }
logs: {}
`),
    ).toEqual([
      'agents.one.interface is missing. Add it: one of open, lite-key, lite-token, openai, function.',
      'agents.one.icon is 5. Give an emoji such as :books:, or an https address of an image.',
      'agents.one.descripton is not a setting. Did you mean "description"?',
      'agents.two.interface is "opn". Give one of open, lite-key, lite-token, openai, function.',
      'agents.two.description is 7. Give a text.',
      'agents.two.seesImages is "maybe". Give true or false.',
      'logs is not a setting. Did you mean "log"?',
    ]);
  });

  it('settings that differ between the interfaces are faults only if wrong for all of them', () => {
    expect(faultsOf(`${platform}\nagents: { one: { expertCode: help } }`)).toEqual([
      'agents.one.interface is missing. Add it: one of open, lite-key, lite-token, openai, function.',
    ]);
  });

  it('a missing kind of credential hides no other fault of it', () => {
    const agent = 'interface: open, expertCode: help, credential: { tokn: x, secret: 5 }';
    expect(faultsOf(`${platform}\nagents: { one: { ${agent} } }`)).toEqual([
      'agents.one.credential.kind is missing. Add it: one of client-account, idp, asker.',
      expect.stringMatching(/^agents\.one\.credential\.secret is /),
      expect.stringMatching(/^agents\.one\.credential\.tokn is not a setting\./),
    ]);
  });

  it('a room without its place is reported with its other faults', () => {
    expect(faultsOf('rooms: [{ agnt: only, mention: often }]')).toEqual([
      'rooms.0.mention is "often". Give one of first, always, never.',
      'rooms.0.agnt is not a setting. Did you mean "agent"?',
      'rooms.0 needs `room`, `kind` or both. Correct it.',
    ]);
  });
});
