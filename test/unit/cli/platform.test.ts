import type { Command } from 'commander';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { conditionOf } from '../../../src/cli/platform/conditions.ts';
import { EXIT_CODES, manualOf } from '../../../src/cli/platform/help.ts';
import { inputsOf } from '../../../src/cli/platform/inputs.ts';
import { platformCommand } from '../../../src/cli/platform/program.ts';
import { exampleOf } from '../../../src/cli/platform/samples.ts';
import { listText } from '../../../src/cli/platform/show.ts';
import { recordOf, tableOf } from '../../../src/cli/platform/table.ts';
import { catalogue, type ErrorCode, exitCode } from '../../../src/errors.ts';
import { api, operations } from '../../../src/platform/api.ts';

describe('conditions', () => {
  it.each([
    ['realName~张', 'realName', '张', 'contains'],
    ['realName!~x', 'realName', 'x', 'notContains'],
    ['userName=a=b', 'userName', 'a=b', 'equal'],
    ['userName!=a', 'userName', 'a', 'notEqual'],
    ['userName^=a', 'userName', 'a', 'startsWith'],
    ['userName$=a', 'userName', 'a', 'endsWith'],
    ['sort>1', 'sort', '1', 'greater'],
    ['sort>=1', 'sort', '1', 'greaterOrEqual'],
    ['sort<1', 'sort', '1', 'less'],
    ['sort <= 1', 'sort', '1', 'lessOrEqual'],
    ['userName in a,b', 'userName', 'a,b', 'in'],
    ['userName not in a,b', 'userName', 'a,b', 'notIn'],
    ['email empty', 'email', '', 'empty'],
    ['email not empty', 'email', '', 'notEmpty'],
  ])('%s', (text, fieldName, fieldValue, conditionalType) => {
    expect(conditionOf(text)).toEqual({ fieldName, fieldValue, conditionalType });
  });

  it('throw only usage errors', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(conditionOf(text).fieldName).toMatch(/^\w+$/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'usage' });
        }
      }),
    );
  });
});

describe('tables', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('手册', '👩‍👩‍👧 family', 'a\u001b[31mred', 'line\nbreak'),
    fc.integer(),
    fc.boolean(),
  );
  it('are never wider than the terminal and contain no terminal commands', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom('code', 'name', 'state', 'more', 'last'), cell), {
          maxLength: 8,
        }),
        fc.integer({ min: 30, max: 120 }),
        (rows, width) => {
          const lines = tableOf(rows, width).split('\n');
          for (const line of lines.slice(0, 2 + rows.length)) {
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that these characters are absent
            expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
          }
        },
      ),
    );
  });

  const ID = '4493041505002323001';

  it('never shorten an id at any width; other columns shrink first', () => {
    const row = { name: 'a'.repeat(40), workspaceId: ID, note: 'b'.repeat(40), id: ID, more: 'c'.repeat(40) };
    for (let width = 10; width < 180; width += 1) {
      const lines = tableOf([row], width).split('\n');
      expect(lines[2]).toMatch(new RegExp(`${ID}( |$)`));
      expect(lines[2]).not.toMatch(/\d…/);
      if (width >= ID.length) expect(stringWidth(lines[2] ?? '')).toBeLessThanOrEqual(width);
      const left = lines.slice(3).join('');
      for (const name of Object.keys(row)) expect(`${lines[0]}${left}`).toContain(name.slice(0, 3));
    }
    expect(tableOf([row], 80)).toMatch(/a… {2}4493041505002323001 {2}b+… {2}4493041505002323001 {2}c+…/);
    expect(tableOf([row], 30)).toMatch(/\(not shown: workspaceId, note, more; --json shows all\)/);
  });

  it('keep the name that identifies a row, wherever its column is', () => {
    const row = { id: ID, code: 'c'.repeat(30), email: 'e'.repeat(30), userName: 'maria.example' };
    expect(tableOf([row], 60)).toContain('  maria.example');
    expect(tableOf([row], 36)).toContain('  maria.example');
    expect(tableOf([row], 30)).toContain('  maria.ex…');
    expect(tableOf([row], 25)).toContain('(not shown: code, email, userName; --json shows all)');
  });

  it('never shorten an id of a single record', () => {
    const text = recordOf({ id: ID, fileIds: [ID, ID], description: 'd'.repeat(90) }, 30);
    expect(text).toContain(`id           ${ID}\n`);
    expect(text).toContain(`${ID}, ${ID}`);
    expect(text).toMatch(/d+…$/);
  });

  it('show unknown values unchanged, and the contents of records below them', () => {
    const text = listText([{ id: '1', state: { known: false, value: 'paused' }, items: [{ a: 1 }] }], 80);
    expect(text).toContain('paused');
    expect(text).toMatch(/\n {2}a\n/);
    expect(listText([], 80)).toBe('Nothing.');
  });
});

describe('flags', () => {
  it('are unique in each command, and none hides a common flag', () => {
    const common = [
      'json',
      'config',
      'as',
      'all',
      'yes',
      'output',
      'force',
      'wait',
      'where',
      'agent',
      'help',
    ];
    for (const operation of operations) {
      const flags = inputsOf(operation).map(({ flag }) => flag);
      expect(new Set(flags).size).toBe(flags.length);
      expect(flags.filter((flag) => common.includes(flag))).toEqual([]);
      if (operation.body === 'json') expect(flags).not.toContain('file');
    }
  });

  it('are derived from the schema: positions, lists, choices, secrets', () => {
    expect(inputsOf(api.uploadFiles).map(({ flag, kind, positional }) => [flag, kind, positional])).toEqual([
      ['workspace', 'text', true],
      ['files', 'files', true],
      ['overwrite', 'switch', false],
    ]);
    expect(inputsOf(api.clientToken).find(({ name }) => name === 'clientSecret')).toMatchObject({
      kind: 'secret',
      positional: false,
    });
    const [mode] = inputsOf(api.retrieve).filter(({ name }) => name === 'ragMode');
    expect(mode).toMatchObject({ choices: ['hybrid', 'embedding', 'fullText'], fallback: 'hybrid' });
  });

  it.each(operations)('of $id have an example that its command accepts', async (operation) => {
    const example = exampleOf(operation, inputsOf(operation));
    expect(example).toMatch(new RegExp(`^parley platform ${operation.capability} ${operation.command}`));
    let understood = 0;
    const root = platformCommand(async () => void understood++);
    await root.parseAsync(shellWords(example).slice(2), { from: 'user' });
    expect(understood).toBe(1);
  });
});

/** Splits a line into words like a shell; supports only the syntax of the examples. */
const shellWords = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'([^']*)'|(\S+))(?:\s|$)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

describe('help', () => {
  const tree = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(tree)];

  it('fits a terminal of 80 columns, except for lines that people copy', () => {
    const wide = tree(platformCommand(async () => undefined)).flatMap((command) => {
      const pieces: string[] = [];
      command.configureOutput({ writeOut: (piece) => void pieces.push(piece), getOutHelpWidth: () => 80 });
      command.outputHelp();
      expect(pieces.join('')).toContain('Usage:');
      return pieces
        .join('')
        .split('\n')
        .filter((line) => stringWidth(line) > 80 && !/^(Example|Request):|^ +or /.test(line));
    });
    expect(wide).toEqual([]);
  });

  it('lists every exit code of a command', () => {
    const codes = Object.keys(catalogue).map((code) => exitCode(code as ErrorCode));
    expect(Object.keys(EXIT_CODES).map(Number)).toEqual(expect.arrayContaining([0, 1, 130, ...codes]));
    expect(manualOf(api.me, [], 80).replace(/\s+/g, ' ')).toContain(
      '69 unreachable, silent or interrupted; 70',
    );
  });
});
