/**
 * Tests which source of a setting applies: flag, environment variable, file named by a variable, or configuration file.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channels } from '../../../adapters/registry.ts';
import { overrides, variables } from '../../../src/config/environment.ts';
import { readSettings } from '../../../src/config/load.ts';
import { Secret } from '../../../src/secret.ts';
import { valueAt } from '../../../src/settings/tree.ts';
import { oneAgent as sandbox } from '../../fakes/house.ts';
import { loadConfig } from '../../fakes/load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-sources-'));
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('the configuration file', () => {
  const named = ['flag.yaml', 'variable.yaml', 'parley.yaml'] as const;
  it.each([
    [{ flag: true, variable: true, usual: true }, 'flag.yaml'],
    [{ flag: true, variable: true, usual: false }, 'flag.yaml'],
    [{ flag: true, variable: false, usual: true }, 'flag.yaml'],
    [{ flag: false, variable: true, usual: true }, 'variable.yaml'],
    [{ flag: false, variable: false, usual: true }, 'parley.yaml'],
    [{ flag: false, variable: false, usual: false }, undefined],
  ])('with %j is %s', ({ flag, variable, usual }, due) => {
    for (const name of named) write(name, `data: ${name}\n`);
    if (!usual) rmSync(join(folder, 'parley.yaml'));
    const environment = variable ? { PARLEY_CONFIG: 'variable.yaml' } : { PARLEY_CONFIG: ' ' };
    const { file, content } = readSettings({ environment, ...(flag && { file: 'flag.yaml' }) });
    expect([file, content.tree.data]).toEqual([due, due]);
  });
});

describe.each(variables(channels))('$name', ({ name, path, kind }) => {
  const found = (environment: Record<string, string>) =>
    overrides(environment, channels).map((one) => [one.name, one.path, one.value]);
  const file = `${name}_FILE`;

  it('applies alone, and together with the file that it may also name', () => {
    const [text, value] = kind === 'number' ? ['4711', 4711] : ['text', 'text'];
    expect(found({ [name]: text })).toEqual([[name, path, value]]);
    const ofFile = [[file, path, { file: 'f' }]];
    expect(found({ [file]: 'f' })).toEqual(kind === 'secret' ? ofFile : []);
    expect(found({ [name]: text, [file]: 'f' })).toEqual(kind === 'secret' ? ofFile : [[name, path, value]]);
  });

  it('counts as unset if it is blank, unless it is a secret', () => {
    for (const blank of ['', '  '])
      expect(found({ [name]: blank })).toEqual(kind === 'secret' ? [[name, path, blank]] : []);
  });
});

describe('a setting in two sources', () => {
  const KEY = (letter: string) => letter.repeat(40);
  /** For each variable: its value, and the value in the file. */
  const VALUES: Readonly<Record<string, readonly [string | number, string | number]>> = {
    PORT: [4001, 4002],
    PARLEY_HOST: ['127.0.0.2', '127.0.0.3'],
    PARLEY_PUBLIC_URL: ['https://one.example', 'https://two.example'],
    PARLEY_METRICS_TOKEN: [KEY('a'), KEY('b')],
    PARLEY_DATA: ['one', 'two'],
    PARLEY_KEY: [KEY('c'), KEY('d')],
    PLATFORM_BASE_URL: ['http://127.0.0.1:4003', 'http://127.0.0.1:4004'],
    PARLEY_SANDBOX_PORT: [4005, 4006],
    PARLEY_LOG_LEVEL: ['debug', 'error'],
    PARLEY_LOG_FORMAT: ['json', 'pretty'],
  };
  const shown = (value: unknown) => (value instanceof Secret ? value.reveal() : value);

  it.each(
    variables([]).flatMap(({ name, path }) => (VALUES[name] ? [{ name, path, values: VALUES[name] }] : [])),
  )('($name) is that of the variable; without it, that of the file', ({ name, path, values: [one, two] }) => {
    const inner = path.toReversed().reduce<unknown>((value, key) => ({ [key]: value }), two);
    const file = write('two.yaml', JSON.stringify(inner));
    const place = path[0] === 'platform' ? ['platforms', 'main', ...path.slice(1)] : path;
    const read = (environment: Record<string, string>) =>
      shown(valueAt(loadConfig({ environment, file, sandbox, channels }).config, place));
    expect(read({})).toBe(two);
    expect(read({ [name]: String(one) })).toBe(one);
  });

  it('is that of the file before that of the sandbox', () => {
    const table = [{ person: 'ada', account: 'own' }];
    const defaults = {
      ...sandbox,
      identity: { table: [{ person: 'ada', account: 'sandbox' }] },
      defaultAgent: 'only',
    };
    const tableOf = (text: string) =>
      loadConfig({ environment: {}, file: write('own.yaml', text), sandbox: defaults, channels }).config
        .identity.table;
    expect(tableOf(JSON.stringify({ identity: { table } }))).toEqual(table);
    expect(tableOf('data: x')).toEqual(defaults.identity.table);
  });

  it('is the named default agent before the first one', () => {
    const agent = { interface: 'lite-key', credential: { kind: 'api-key', key: 'k' } };
    const settings = { platform: { baseUrl: 'https://p.example' }, agents: { first: agent, second: agent } };
    const defaultOf = (more: object) => {
      const file = write('agents.yaml', JSON.stringify({ ...settings, ...more }));
      return loadConfig({ environment: {}, file, channels }).config.defaultAgent;
    };
    expect(defaultOf({})).toBe('first');
    expect(defaultOf({ defaultAgent: 'second' })).toBe('second');
  });
});
