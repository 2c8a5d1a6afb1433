import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { note, print, printContent, printJson, printPiece } from '../../../src/cli/platform/output.ts';
import { failures } from '../../../src/cli/platform/settled.ts';
import { listText } from '../../../src/cli/platform/show.ts';
import { recordOf, treeOf } from '../../../src/cli/platform/table.ts';
import { jsonText, plain } from '../../../src/cli/print.ts';

const folder = new URL('../../../src/cli/platform/', import.meta.url);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that these characters are absent
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const HOSTILE = 'a\u001b[2J\u009b31m\u202egnp.exe\u200f\u2066z\u0007\r';

afterEach(() => void vi.restoreAllMocks());

function heard(work: () => void): string {
  let text = '';
  const hear = (given: unknown): boolean => {
    text += String(given);
    return true;
  };
  vi.spyOn(console, 'log').mockImplementation(hear);
  vi.spyOn(console, 'error').mockImplementation(hear);
  vi.spyOn(process.stdout, 'write').mockImplementation(hear);
  work();
  vi.restoreAllMocks();
  return text;
}

describe('text on the terminal', () => {
  it.each([
    ['print', () => print(HOSTILE)],
    ['note', () => note(HOSTILE)],
    ['printPiece', () => printPiece(HOSTILE)],
    ['printJson', () => printJson({ [HOSTILE]: [HOSTILE] })],
  ])('%s removes terminal commands', (_, work) => {
    expect(heard(work)).not.toMatch(OBEYED);
  });

  it('is written by output.ts only', () => {
    const others = readdirSync(folder).filter((name) => name !== 'output.ts');
    const own = others.filter((name) =>
      /\bconsole\b|process\.std(out|err)\.write/.test(readFileSync(new URL(name, folder), 'utf8')),
    );
    expect(own).toEqual([]);
  });

  it('keeps the value of JSON and contains no terminal commands', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        const text = jsonText(value);
        expect(text).not.toMatch(OBEYED);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(jsonText(['\u009b'])).toContain('\\u009b');
  });

  it('keeps the joiners inside letters and emoji', () => {
    expect(plain('👩‍👩‍👧 نمی‌خواهم\n\tא')).toBe('👩‍👩‍👧 نمی‌خواهم\n\tא');
  });

  it.each([
    ['lists of texts', listText([HOSTILE, 'b\nforged'], 80), 2],
    ['names of members', recordOf({ metadata: { [`k\n${HOSTILE}`]: 'v' }, [`n\n${HOSTILE}`]: 'v' }, 80), 2],
    ['names of columns', listText([{ [`n\n${HOSTILE}`]: 'v' }], 80), 3],
    ['nodes', treeOf([{ nodeName: `a\nb${HOSTILE}`, nodeId: HOSTILE, childNodeList: [] }]), 1],
  ])('contains no terminal commands and no forged lines in %s', (_, text, lines) => {
    expect(text).not.toMatch(OBEYED);
    expect(text.split('\n')).toHaveLength(lines);
  });

  it('is the plain text of a download; a pipe gets the bytes unchanged', async () => {
    const bytes = Buffer.from(`${HOSTILE}é`);
    const printed = async (isTTY: boolean): Promise<Buffer> => {
      const pieces: Buffer[] = [];
      vi.spyOn(process.stdout, 'write').mockImplementation(
        (piece) => pieces.push(Buffer.from(piece as Uint8Array)) > 0,
      );
      const before = process.stdout.isTTY;
      process.stdout.isTTY = isTTY;
      await printContent(
        (async function* () {
          for (const byte of bytes) yield Uint8Array.of(byte);
        })(),
      );
      process.stdout.isTTY = before;
      vi.restoreAllMocks();
      return Buffer.concat(pieces);
    };
    expect(await printed(false)).toEqual(bytes);
    expect((await printed(true)).toString()).toBe(plain(bytes.toString()));
  });
});

it.each([
  [{ fileName: 'a', state: 'fail', errorMsg: 'too old' }, ['a could not be indexed: too old']],
  [{ name: 'b', chunkingState: 'fail', raw: { errorMsg: 'too new' } }, ['b could not be indexed: too new']],
  [{ id: '7', chunkingState: 'fail' }, ['7 could not be indexed: the platform sent no reason']],
  [{ fileName: 'c', state: 'success', chunkingState: 'fail' }, []],
  [{ fileName: 'd', state: 'success' }, []],
  [{ fileName: 'e', chunkingState: 'success' }, []],
])('the uploaded file %j is reported if it failed', (file, lines) => {
  expect(failures(file)).toEqual(lines);
  expect(failures([file, file])).toEqual([...lines, ...lines]);
});
