/**
 * Tests the fenced blocks of the pages: their commands exist, their settings are valid, and their code can be parsed.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { channels } from '../../adapters/registry.ts';
import { variables } from '../../src/config/environment.ts';
import { rulesJsonSchema } from '../../src/config/rules-schema.ts';
import { commandList } from '../../src/core/commands/reading.ts';
import { commands, fences, readPages } from './pages.ts';

const root = new URL('../../', import.meta.url).pathname;
const pages = readPages();
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const lines = pages.flatMap(({ path, text }) => commands(text).map((line) => [path, line] as const));
const shown = (...languages: readonly string[]) =>
  pages.flatMap(({ path, text }) =>
    fences(text)
      .filter(({ language }) => languages.includes(language))
      .map(({ body }) => [path, body] as const),
  );

/** Returns the names of the npm scripts in a text. */
const scriptsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bnpm run (?:-s )?([\w:][\w:-]*)/g)].map(([, name = '']) => name);
/** Returns the `parley` commands in a text, without options and values. */
const parleyIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:npm run -s parley -- |(?<![\w./-])parley )([a-z]+(?: [a-z]+)?)/g)].map(
    ([, words = '']) => words,
  );

test('scripts that the pages name exist', () => {
  const unknown = pages.flatMap(({ path, text }) =>
    scriptsIn(text)
      .filter((name) => scripts[name] === undefined)
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('scripts and commands are found', () => {
  expect(scriptsIn('`npm run -s parley -- ask`, npm run build:page')).toEqual(['parley', 'build:page']);
  expect(parleyIn('npm run -s parley -- config check, `parley doctor`, PARLEY_KEY')).toEqual([
    'config check',
    'doctor',
  ]);
});

describe('commands of Parley', () => {
  let top: readonly string[] = [];
  beforeAll(() => {
    const { stdout } = spawnSync(process.execPath, ['bin/parley.js', '--help'], {
      cwd: root,
      encoding: 'utf8',
    });
    top = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
  });

  test('in blocks exist', () => {
    expect(top).toContain('start');
    const unknown = lines.flatMap(([path, line]) =>
      parleyIn(line)
        .map((words) => words.split(' ')[0] ?? '')
        .filter((word) => !top.includes(word))
        .map((word) => `${path}: ${word}`),
    );
    expect(unknown).toEqual([]);
  });

  test('are all listed on the page of commands', () => {
    const page = readFileSync(`${root}docs/reference/commands.md`, 'utf8');
    const named = new Set(parleyIn(page).map((words) => words.split(' ')[0]));
    expect(top.filter((name) => name !== 'help' && !named.has(name))).toEqual([]);
    expect(commandList.filter(({ say }) => !page.includes(`| \`${say}\` |`))).toEqual([]);
    const offered = Object.keys(scripts).filter(
      (name) => !['parley', 'start', 'test', 'prepack', 'build:page'].includes(name),
    );
    expect(offered.filter((name) => !scriptsIn(page).includes(name))).toEqual([]);
  });
});

test('variables set in blocks are known', () => {
  const known = new Set(variables(channels).map(({ name }) => name));
  const files = [...known].map((name) => `${name}_FILE`);
  const unknown = lines.flatMap(([path, line]) =>
    [...line.matchAll(/(?:^|\s)((?:PARLEY|SLACK|MICROSOFT)_[A-Z_]+)=/g)]
      .map(([, name = '']) => name)
      .filter((name) => !known.has(name) && !files.includes(name) && name !== 'PARLEY_CONFIG')
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

describe('settings', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  /** Compiles a schema for parts of a file, in which required settings may be missing. */
  const compile = ({ required: _required, ...schema }: { readonly required?: unknown }) =>
    ajv.compile(schema);
  const check = compile(JSON.parse(readFileSync(`${root}docs/config.schema.json`, 'utf8')));
  const checkRules = compile(rulesJsonSchema());
  /** True for a part of the rules file, which has settings of its own. */
  const isRules = (body: string) => /^(groups|quotas):|^rules:\n/.test(body);
  /** True for a file of `parley rules test`, which test/unit/config/rules-docs.test.ts reads. */
  const isExpectations = (body: string) => body.startsWith('expectations:');

  test.each(
    shown('yaml').filter(([, body]) => !isExpectations(body)),
  )('in %s are valid: %s', (_path, body) => {
    const valid = isRules(body) ? checkRules : check;
    valid(parse(body) ?? {});
    expect(valid.errors ?? []).toEqual([]);
  });

  test('that do not exist are found', () => {
    expect(check({ slack: { streeming: true } })).toBe(false);
  });
});

test.each(shown('json'))('JSON in %s: %s', (_path, body) => {
  expect(() => JSON.parse(body)).not.toThrow();
});

describe('code', () => {
  /** Parses code as a module, so that `await` is allowed at the top. `…` stands for omitted code. */
  const read = (body: string): string => stripTypeScriptTypes(body.replaceAll('…', ''));

  test.each(shown('ts', 'js'))('in %s can be parsed: %s', (_path, body) => {
    expect(() => read(body)).not.toThrow();
  });

  test('that is broken is found', () => expect(() => read('const a = {')).toThrow());
});
