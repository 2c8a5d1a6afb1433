import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { teamsConfig } from '../../../adapters/teams/channel.ts';
import type { TeamsConfig } from '../../../adapters/teams/config.ts';
import { teamsSettings } from '../../../adapters/teams/settings.ts';
import { sharedOf } from '../../../src/cli/channels.ts';
import { BridgeError, exitCode } from '../../../src/errors.ts';
import { lineOf, load, ownSettings, stateOf } from '../../fakes/house.ts';

/** Returns the configuration with which the adapter is created; undefined if Teams is off. */
function created(environment: Record<string, string>, teams: object = {}): TeamsConfig | undefined {
  const loaded = load(environment, Object.keys(teams).length > 0 ? { teams } : {});
  if (!stateOf(loaded, 'teams').isOn) return undefined;
  const own = ownSettings('teams', environment, { teams });
  return teamsConfig(teamsSettings(environment).parse(own), sharedOf(loaded.config));
}

function refusal(environment: Record<string, string>): BridgeError {
  try {
    load(environment);
  } catch (thrown) {
    if (thrown instanceof BridgeError) return thrown;
    throw thrown;
  }
  throw new Error('the configuration was taken');
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'teams-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const ids = {
  MICROSOFT_APP_ID: '6F0F5C6A-7a31-4c0e-9d0e-3a1c5b1f7e01',
  MICROSOFT_APP_TENANT_ID: '00000000-0000-4000-8000-000000000001',
};
const withPassword = { ...ids, MICROSOFT_APP_PASSWORD: 'a~secret' };
const withCertificate = { ...ids, MICROSOFT_APP_CERT: 'certificate', MICROSOFT_APP_KEY: 'private' };

describe('Teams', () => {
  it('is off if none of its settings is set', () => {
    expect(created({})).toBeUndefined();
    expect(lineOf(load({}), 'Teams')).toBe('off: none of its settings is set');
  });

  it('is on with a client secret', () => {
    const settings = created(withPassword);
    expect(settings).toMatchObject({
      appId: ids.MICROSOFT_APP_ID.toLowerCase(),
      tenant: ids.MICROSOFT_APP_TENANT_ID,
      credential: { kind: 'password' },
      name: 'Parley',
      allMessages: false,
    });
    expect(JSON.stringify(settings)).not.toContain('a~secret');
    expect(lineOf(load({ ...withPassword, PARLEY_PUBLIC_URL: 'https://parley.example/' }), 'Teams')).toBe(
      `on for the directory ${ids.MICROSOFT_APP_TENANT_ID}, with a client secret, at https://parley.example/api/messages`,
    );
  });

  it('says which variable names its address if none does', () => {
    expect(lineOf(load(withPassword), 'Teams')).toMatch(
      /at \/api\/messages; set PARLEY_PUBLIC_URL to the https/,
    );
  });

  it('is on with a certificate, and as a managed identity', () => {
    expect(created(withCertificate)?.credential.kind).toBe('certificate');
    const machine = { ...ids, MICROSOFT_APP_TYPE: 'UserAssignedMSI' };
    expect(created(machine)?.credential).toEqual({ kind: 'managed-identity' });
  });

  it('reads all values from files, and a changed secret again', () => {
    const path = file('password', 'first\n');
    const settings = created({
      MICROSOFT_APP_ID_FILE: file('id', `${ids.MICROSOFT_APP_ID}\n`),
      MICROSOFT_APP_TENANT_ID_FILE: file('tenant', ids.MICROSOFT_APP_TENANT_ID),
      MICROSOFT_APP_PASSWORD_FILE: path,
    });
    expect(settings?.appId).toBe(ids.MICROSOFT_APP_ID.toLowerCase());
    const { credential } = settings ?? {};
    if (credential?.kind !== 'password') throw new Error('no password');
    expect(credential.password.reveal()).toBe('first');
    writeFileSync(path, 'the second');
    expect(credential.password.reveal()).toBe('the second');
  });

  const without = (set: Record<string, string>, name: string) =>
    Object.fromEntries(Object.entries(set).filter(([each]) => each !== name));

  it.each([
    ...Object.keys(withPassword).map((name) => [name, without(withPassword, name)] as const),
    ['MICROSOFT_APP_CERT_FILE', without(withCertificate, 'MICROSOFT_APP_CERT')] as const,
    ['MICROSOFT_APP_KEY_FILE', without(withCertificate, 'MICROSOFT_APP_KEY')] as const,
  ])('refuses to start without %s, and names it', (name, environment) => {
    const error = refusal(environment);
    expect(error.message).toContain(name);
    expect(exitCode(error.code)).toBe(78);
  });

  it.each([
    ...Object.keys(withPassword).map((name) => ({ ...withPassword, [name]: ' ' })),
    ...Object.keys(withCertificate).map((name) => ({ ...withCertificate, [name]: '' })),
    { ...withPassword, MICROSOFT_APP_ID: 'parley' },
    { ...withPassword, MICROSOFT_APP_TENANT_ID: 'common' },
    { ...withPassword, ...withCertificate },
    { ...withPassword, MICROSOFT_APP_TYPE: 'UserAssignedMSI' },
    { ...withPassword, MICROSOFT_APP_TYPE: 'MultiTenant' },
  ])('refuses to start with blank or contradictory values: %j', (environment) => {
    const error = refusal(environment);
    expect(error.message).toMatch(/MICROSOFT_APP_/);
    expect(exitCode(error.code)).toBe(78);
    expect(error.message).not.toContain('a~secret');
  });

  it.each([
    'MICROSOFT_APP_ID',
    'MICROSOFT_APP_TENANT_ID',
    'MICROSOFT_APP_TYPE',
  ])('does not show a secret that was entered as %s', (name) => {
    const pasted = 'a8Q8~fake.secret-of_the-app.0123456789';
    const { message } = refusal({ ...withPassword, [name]: pasted });
    expect(message).toContain(`${name}: `);
    expect(message).toContain(`${pasted.length} characters`);
    for (const part of [pasted, pasted.toLowerCase()]) expect(message).not.toContain(part.slice(0, 8));
  });

  const text = (length: number) => 'x'.repeat(length);
  const questions = (count: number) =>
    Array.from({ length: count }, () => ({ title: 'Open', message: 'When?' }));

  it.each<[object, RegExp]>([
    [{ name: text(31) }, /teams\.name.*at most 30 characters/],
    [{ name: ' ' }, /teams\.name.*at least 1 characters/],
    [{ description: text(81) }, /teams\.description.*at most 80 characters/],
    [{ developer: { name: text(33) } }, /teams\.developer\.name.*at most 32 characters/],
    [{ developer: { website: 'http://acme.example' } }, /teams\.developer\.website.*https address/],
    [{ developer: { privacy: 'nowhere' } }, /teams\.developer\.privacy.*https address/],
    [{ developer: { terms: `https://a.example/${text(2_048)}` } }, /teams\.developer\.terms.*at most 2048/],
    [{ prompts: questions(13) }, /teams\.prompts.*at most 12 entries/],
    [{ prompts: [{ title: text(33), message: 'x' }] }, /teams\.prompts\.0\.title.*at most 32/],
    [{ prompts: [{ title: 'x', message: text(4_001) }] }, /teams\.prompts\.0\.message.*at most 1000/],
    [{ prompts: [{ title: ' ', message: 'x' }] }, /teams\.prompts\.0\.title.*at least 1/],
  ])('refuses what Teams would not accept in the app: %j', (teams, said) => {
    expect(() => created(withPassword, teams)).toThrow(said);
  });

  it('accepts services of this machine only', () => {
    const services = (login: string, host: string) =>
      created(withPassword, {
        services: {
          login,
          openId: 'http://127.0.0.1:1',
          graph: 'http://127.0.0.1:1',
          connectors: [host],
          attachments: [],
        },
      })?.services;
    expect(services('http://127.0.0.1:1/', '127.0.0.1:1')).toEqual({
      login: 'http://127.0.0.1:1',
      openId: 'http://127.0.0.1:1',
      graph: 'http://127.0.0.1:1',
      connectors: ['127.0.0.1:1'],
      attachments: [],
    });
    expect(() => services('https://login.example', '127.0.0.1:1')).toThrow(/teams\.services\.login/);
    expect(() => services('http://127.0.0.1:1', 'smba.example')).toThrow(/teams\.services\.connectors/);
  });

  it.each<[string, Record<string, string>, object, RegExp]>([
    ['a public http address', { PARLEY_PUBLIC_URL: 'http://parley.example' }, {}, /is not an https address/],
    [
      'a resource of another app',
      {},
      { singleSignOn: { resource: 'api://botid-00000000-0000-4000-8000-000000000009' } },
      /teams\.singleSignOn\.resource does not end with the id of the app.*api:\/\/botid-6F0F/,
    ],
  ])('refuses %s', (_, environment, own, says) => {
    expect(() => load({ ...withPassword, ...environment }, { teams: own })).toThrow(says);
  });
});
