import { expect, test } from 'vitest';
import { asBridgeError } from '../../../src/errors.ts';
import { load } from '../../fakes/house.ts';

const MAIN = { baseUrl: 'https://main.example' };
const LAB = { baseUrl: 'https://lab.example' };
const key = { interface: 'lite-key', credential: { kind: 'api-key', key: 'k' } };
const service = { kind: 'client-account', client: 'c', secret: 's', account: 'service' };
const open = { interface: 'open', expertCode: 'x', credential: service };
const asker = { ...open, credential: { kind: 'asker', elsewhere: service } };
const both = { main: MAIN, lab: LAB };
const refuse = { identity: { unmapped: 'refuse' } };

const faultsOf = (settings: object, environment = {}): string => {
  try {
    load(environment, { ...settings });
    return '';
  } catch (thrown) {
    return asBridgeError(thrown).message;
  }
};
const platformsOf = (settings: object, environment = {}) => {
  const { config, embedded } = load(environment, { ...settings });
  const agents = Object.entries(config.agents).map(([name, { platform }]) => `${name} on ${platform}`);
  const platforms = Object.entries(config.platforms).map(([name, { baseUrl }]) => `${name} ${baseUrl}`);
  return { agents, platforms, embedded };
};

test.each([
  ['one platform', { platform: MAIN, agents: { a: key } }, ['main https://main.example'], ['a on main']],
  [
    'the only platform',
    { platforms: { lab: LAB }, agents: { a: key } },
    ['lab https://lab.example'],
    ['a on lab'],
  ],
  [
    'a named platform',
    { platforms: both, agents: { a: key, b: { ...key, platform: 'lab' } } },
    ['main https://main.example', 'lab https://lab.example'],
    ['a on main', 'b on lab'],
  ],
])('%s runs the agents', (_, settings, platforms, agents) => {
  expect(platformsOf(settings)).toEqual({ platforms, agents, embedded: false });
});

test('the variables set main, also among several platforms', () => {
  const environment = { PLATFORM_BASE_URL: 'https://other.example' };
  expect(platformsOf({ platforms: both, agents: { a: key } }, environment).platforms).toEqual([
    'main https://other.example',
    'lab https://lab.example',
  ]);
  expect(faultsOf({ platforms: both, agents: { a: key } }, { PLATFORM_BASE_URL: 'ftp://x' })).toContain(
    'PLATFORM_BASE_URL: platforms.main.baseUrl',
  );
});

test('a variable adds no platform, which would get the credentials of agents that name none', () => {
  const environment = { PLATFORM_BASE_URL: 'https://other.example' };
  expect(faultsOf({ platforms: { lab: LAB }, agents: { a: key } }, environment)).toContain(
    'Move it (or PLATFORM_BASE_URL) to platforms.main.',
  );
});

test.each(['platforms', 'agents'])('%s refuses the name that the schema leaves out', (group) => {
  const settings = { platforms: both, agents: { a: key } };
  const entries = Object.fromEntries([...Object.entries(settings[group as 'agents']), ['__proto__', LAB]]);
  expect(faultsOf({ ...settings, [group]: entries })).toContain(`${group} has an entry named "__proto__"`);
});

const lab = (agent: object) => ({ platforms: both, agents: { a: { ...agent, platform: 'lab' } } });
test.each([
  [{ platform: MAIN, platforms: both, agents: { a: key } }, 'platform is set together with `platforms`'],
  [{ platforms: {}, agents: { a: key } }, 'must name at least one platform'],
  [{ platforms: both }, 'names no agent'],
  [{ platforms: { main: MAIN, lab: {} }, agents: { a: key } }, 'platforms.lab.baseUrl is missing'],
  [
    { platforms: { main: { baseUrl: 'http://far.example' } }, agents: { a: key } },
    'platforms.main.allowInsecureHttp',
  ],
  [{ platforms: { main: { ...MAIN, paht: 1 } }, agents: { a: key } }, 'platforms.main.paht is not a setting'],
  [
    { platforms: { a: MAIN, b: LAB }, agents: { x: key } },
    'agents.x.platform is missing. Platforms here: a, b.',
  ],
  [{ platform: MAIN, agents: { a: { ...key, platform: 'lab' } } }, 'names "lab", which is not configured'],
  [lab(asker), 'which `kind: asker` needs'],
  [{ ...lab(open), ...refuse }, 'which `identity.unmapped: refuse` needs'],
  [{ ...lab(key), rooms: [{ room: 'r', agent: 'a', account: 'acc' }] }, 'which `rooms[].account` needs'],
])('faults: %j', (settings, says) => {
  expect(faultsOf(settings)).toContain(says);
});

test.each([
  [lab(open)],
  [{ ...lab(key), ...refuse }],
  [{ platforms: both, agents: { a: asker }, ...refuse }],
  [{ ...lab(key), rooms: [{ room: 'r', account: 'acc' }] }],
])('no fault: %j', (settings) => {
  expect(faultsOf(settings)).toBe('');
});
