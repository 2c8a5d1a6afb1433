/** Tests the docstrings of everything that an import of `parley/kit` contains, and compiles and runs their examples. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { afterAll, describe, expect, test } from 'vitest';
import * as kit from '../../src/kit/package.ts';
import { codesThrownBy, type Declared, declaredIn, unitless } from './kit-front.ts';

const root = new URL('../../', import.meta.url).pathname;
const front = declaredIn('src/kit/package.ts');
const values = front.filter(({ isValue }) => isValue);
/** Maximum number of names: 58 without `z`, and the ten types of rigs. A further name belongs in `parley/kit/ladder`. */
const MOST = 68;
/** Names of the declarations for which something is wrong. */
const wrong = (among: readonly Declared[], isRight: (each: Declared) => boolean) =>
  among.filter((each) => !isRight(each)).map(({ name }) => name);

test('every name is found', () => {
  const names = Object.keys(kit).filter((name) => name !== 'z');
  expect(values.map(({ name }) => name)).toEqual(names.toSorted());
  expect(front.length).toBeLessThanOrEqual(MOST);
});

test('every name has a docstring', () => expect(wrong(front, ({ doc }) => doc !== '')).toEqual([]));

test('the unit or meaning of every number is said', () =>
  expect(front.flatMap((each) => unitless(each).map((number) => `${each.name}: ${number}`))).toEqual([]));

test('the codes of thrown errors are named', () =>
  expect(
    wrong(front, (each) => codesThrownBy(each).every((code) => each.doc.includes(`\`${code}\``))),
  ).toEqual([]));

describe('examples', () => {
  const uses = (name: string, code: string) => new RegExp(`\\b${name}\\b`).test(code);
  /** True if an example of this docstring, or of one that it links to, uses the name. */
  const hasExample = ({ name, doc, examples }: Declared): boolean => {
    const linked = [...doc.matchAll(/@see \{@link (\w+)\}/g)].map(([, other]) => other);
    const others = front.filter((each) => linked.includes(each.name)).flatMap((each) => each.examples);
    return [...examples, ...others].some((code) => uses(name, code));
  };

  test('show the use of every function', () => expect(wrong(values, hasExample)).toEqual([]));

  const results = front.flatMap(({ examples }) =>
    examples.flatMap((code) =>
      [...code.matchAll(/^(.+); \/\/ (.+)$/gm)].map(([, call = '', result = '']) => [call, result]),
    ),
  );
  test.each(results)('are true: %s is %s', (call, result) => {
    const [found, told] = compileFunction(
      `return [${call}, ${result}];`,
      Object.keys(kit),
    )(...Object.values(kit));
    expect(found).toEqual(told);
  });
});

describe('the compiler', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-examples-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What the examples use besides the kit. `chat` is the client of the chat that the author connects. */
  const given = `import type { Socket } from 'node:net';
import type * as kit from 'parley/kit';
import type { PressContext } from 'parley/kit/ladder';
export declare const host: kit.AdapterHost;
export declare const turn: kit.Turn;
export declare const thread: kit.ThreadRef;
export declare const person: kit.Person;
export declare const document: kit.ReplyDocument;
export declare const presses: kit.Presses;
export declare const context: PressContext;
export declare const socket: Socket;
export declare const signal: AbortSignal;
export declare const chat: {
  post(room: string, text: string, signal: AbortSignal): Promise<kit.Outcome>;
  edit(id: string, text: string, signal: AbortSignal): Promise<kit.Outcome>;
  remove(id: string, signal: AbortSignal): Promise<kit.Outcome>;
};
export declare function createAdapter(settings: object, shared: kit.Shared): kit.ChannelAdapter;
`;
  const givenNames = [...given.matchAll(/^export declare (?:const|function) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const imports = `import { ${Object.keys(kit).join(', ')} } from 'parley/kit';
import { ${givenNames.join(', ')} } from './adapter.js';
`;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

  test('accepts all examples, and refuses a wrong one', () => {
    const compilerOptions = { noEmit: true, rootDir: '/', typeRoots: [join(root, 'node_modules/@types')] };
    const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
    write('package.json', '{ "type": "module" }');
    write('tsconfig.json', JSON.stringify(settings));
    write('adapter.ts', given);
    write('wrong.example.ts', `${imports}isLoopback(1);\n`);
    // A block, so that an example can declare a name that is also imported.
    for (const { name, examples } of front)
      for (const [at, code] of examples.entries())
        write(`${name}-${at}.example.ts`, `${imports}{\n${code}}\n`);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const said = spawnSync(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], options).stdout.trim();
    expect(said.split('\n')).toEqual([expect.stringMatching(/^wrong\.example\.ts.*'number'/)]);
  }, 60_000);
});
