import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { run } from '../../../src/cli/program.ts';
import { readConfigFile } from '../../../src/config/file.ts';
import { house } from '../../fakes/house.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-yaml-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, text);
  return file;
}

it.each<[string, string, string, RegExp, RegExp]>([
  ['a tab', 'server:\n\tport: 1\n', '2:1', /indented with a tab/, /by spaces/],
  ['a tab after spaces', 'server:\n  port: 1\n\thost: x\n', '3:1', /indented with a tab/, /by spaces/],
  [
    'a duplicate key',
    'data: a\nserver: {}\ndata: b\n',
    '3:1',
    /sets data a second time/,
    /Keep one of the two/,
  ],
  ['a duplicate key in a group', 'server: { port: 1, port: 2 }\n', '1:20', /sets port a second/, /Keep one/],
  ['an open double quote', 'data: "open\nserver:\n  port: 1\n', '1:7', /opens a quote/, /^Add "/],
  ['an open single quote', "log: {}\ndata: 'open\nserver: {}\n", '2:7', /opens a quote/, /^Add '/],
  ['an open list', 'server:\n  port: [1\n', '2:9', /opens a list/, /^Add \]/],
  ['an open group', 'server: { port: 1\nlog: {}\n', '1:9', /opens a group/, /^Add \}/],
  [
    'an unknown anchor',
    'data: x\nserver: *nope\n',
    '2:9',
    /anchor that is not defined/,
    /Write the value itself/,
  ],
  ['a tag', 'data: !env FOO\n', '1:7', /begins with !/, /\{ env: NAME \}/],
  ['a special character', 'data: @home\n', '1:7', /special character/, /quotes around the value/],
  ['a second colon', 'data: a: b\n', '1:7', /second colon/, /quotes around the value/],
  ['a wrong column', 'server:\n  port: 1\n host: x\n', '3:1', /indented differently/, /same column/],
  ['an unknown escape', 'data: "C:\\parley"\n', '1:10', /unknown escape/, /single quotes/],
  ['a second document', 'data: a\n---\ndata: b\n', '2:1', /second document/, /Remove the line/],
])('explains %s', (_, text, place, what, cure) => {
  const file = written(text);
  expect(readConfigFile(file).faults[0]).toEqual({
    subject: 'the line',
    path: [],
    place: `${file}:${place}`,
    what: expect.stringMatching(what),
    cure: expect.stringMatching(cure),
  });
});

it('refuses anchors that expand to too much', () => {
  const line = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(of).join(', ')}]\n`;
  const file = written(line('a', 'x') + line('b', '*a') + line('c', '*b') + line('d', '*c'));
  expect(readConfigFile(file).faults[0]?.what).toContain('anchors that expand to too much');
});

it('reads anchors', () => {
  expect(readConfigFile(written('server: { port: &p 1 }\nsandbox: { port: *p }\n'))).toMatchObject({
    tree: { server: { port: 1 }, sandbox: { port: 1 } },
    faults: [],
  });
});

it.each<[string, number, object]>([
  [
    'servr: {}\n',
    78,
    {
      ok: false,
      faults: [
        {
          place: expect.stringMatching(/parley\.yaml:1:1$/),
          setting: 'servr',
          what: 'is not a setting',
          cure: 'Did you mean "server"?',
        },
      ],
    },
  ],
  ['data: "\n', 78, { ok: false, faults: [{ setting: '', what: expect.stringContaining('opens a quote') }] }],
  ['server: {}\n', 0, { ok: true, faults: [], platform: null, defaultAgent: 'knowledge' }],
])('config check --json prints %j', async (text, code, printed) => {
  const out = vi.spyOn(console, 'log').mockReturnValue();
  expect(await run(['config', 'check', '--json', '--config', written(text)], house)).toBe(code);
  expect(JSON.parse(String(out.mock.calls[0]?.[0]))).toMatchObject(printed);
  out.mockRestore();
});
