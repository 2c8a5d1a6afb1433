import { describe, expect, it } from 'vitest';
import { channels } from '../../../adapters/registry.ts';
import { BridgeError } from '../../../src/errors.ts';
import { oneAgent as sandbox } from '../../fakes/house.ts';
import { loadConfig } from '../../fakes/load-config.ts';

const KEY = 'a-key-of-thirty-two-characters-00';
const URL = 'postgres://parley:hush-hush@db.example.org:5432/parley';
const platform = { PLATFORM_BASE_URL: 'http://127.0.0.1:4444' };
const load = (environment: Record<string, string>) => loadConfig({ environment, sandbox, channels });

function refusal(environment: Record<string, string>): string {
  try {
    load(environment);
  } catch (thrown) {
    if (thrown instanceof BridgeError && thrown.code === 'config-invalid') return thrown.message;
    throw thrown;
  }
  throw new Error('the configuration was accepted');
}

describe('the setting of a database', () => {
  it('is absent by default', () => {
    expect(load({}).config.database).toBeUndefined();
  });

  it('comes from DATABASE_URL and names the installation', () => {
    const { database } = load({ ...platform, DATABASE_URL: URL, PARLEY_KEY: KEY }).config;
    expect(database?.url.reveal()).toBe(URL);
    expect(database?.installation).toBe('parley');
    expect(JSON.stringify(database)).not.toContain('hush-hush');
  });

  it('requires a key and a platform, and names both', () => {
    const message = refusal({ DATABASE_URL: URL });
    expect(message).toMatch(/key is missing\. All replicas derive their keys from it\. Set PARLEY_KEY/);
    expect(message).toMatch(/platform\.baseUrl is missing\. Each replica would start a sandbox of its own/);
  });

  it.each([
    ['mysql://user:hush-hush@host/name', 'is not an address of PostgreSQL'],
    ['db.example.org', 'is not an address of PostgreSQL'],
    ['postgres://user:hush-hush@one:5432,two:5432/name', 'names several servers'],
    ['postgres:///name', 'names no host'],
    ['postgres://user:hush-hush@host', 'names no database'],
    [' ', 'is blank'],
  ])('refuses the address %s without printing it', (address, fault) => {
    const message = refusal({ ...platform, PARLEY_KEY: KEY, DATABASE_URL: address });
    expect(message).toContain(`DATABASE_URL: database.url ${fault}`);
    expect(message).not.toContain('hush-hush');
  });

  it('accepts a socket folder as the host', () => {
    const address = 'postgres:///name?host=/run/postgresql';
    expect(load({ ...platform, PARLEY_KEY: KEY, DATABASE_URL: address }).config.database).toBeDefined();
  });

  it('switches the console on only with a setting of its own, because it would otherwise be open to others', () => {
    const environment = { ...platform, DATABASE_URL: URL, PARLEY_KEY: KEY, PARLEY_HOST: '0.0.0.0' };
    const [first] = load(environment).channels;
    expect(first).toMatchObject({ isOn: false, off: expect.stringContaining('a setting of its own') });
    const asked = load({ ...environment, PARLEY_CONSOLE_TOKEN: 'sixteen characters' });
    expect(asked.channels[0]).toMatchObject({ isOn: true });
    const alone = loadConfig({ environment: { ...platform, PARLEY_HOST: '127.0.0.1' }, sandbox, channels });
    expect(alone.channels[0]).toMatchObject({ isOn: true });
    expect(alone.channels[0]).not.toHaveProperty('off');
  });
});
