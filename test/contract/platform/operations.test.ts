/** CHK-2: the list is written by hand and never made of the descriptors, so that it can tell what they lack. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listedOperations } from '../../../src/cli/platform/operations-list.ts';
import { operations } from '../../../src/platform/api.ts';
import { type RunningSandbox, startSandbox } from '../../../src/sandbox/index.ts';

interface Listed {
  readonly n: number;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly alternateMethod?: string;
}

const listed: readonly Listed[] = JSON.parse(
  readFileSync(new URL('operations.json', import.meta.url), 'utf8'),
);
const docs = new URL('../../../docs/platform/', import.meta.url);
const { paths } = JSON.parse(readFileSync(new URL('openapi.json', docs), 'utf8'));

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, memory: true, knowledge: [] });
});
afterAll(() => sandbox.close());

/** Whether the sandbox has a route, whatever it thinks of an empty request. */
async function isServed(method: string, path: string): Promise<boolean> {
  const filled = path.replace(/\{idp\}/, 'idp').replaceAll(/\{\w+\}/g, '12345');
  const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };
  const answer = await fetch(sandbox.url + filled, { method, ...body });
  const text = await answer.text();
  return answer.status !== 405 && !/There is no route/.test(text);
}

/** What an operation of the list lacks. */
async function lacking({ id, method, path, alternateMethod }: Listed): Promise<readonly string[]> {
  const found = operations.find((operation) => operation.id === id);
  const page = found && readFileSync(new URL(`${found.capability}.md`, docs), 'utf8');
  const methods = [method, ...(alternateMethod === undefined ? [] : [alternateMethod])];
  const served = await Promise.all(methods.map((each) => isServed(each, path)));
  const alternatives = found?.alternatives?.map((each) => each.method) ?? [];
  const shown = paths[path] ?? {};
  return [
    ...(found?.method === method && plain(found.path) === path ? [] : ['descriptor']),
    ...(alternateMethod === undefined || alternatives.some((each) => each === alternateMethod)
      ? []
      : ['alternate']),
    ...(served.every(Boolean) ? [] : ['route']),
    ...(listedOperations.some((command) => command.id === id) ? [] : ['command']),
    ...(page?.includes(`## ${id}\n`) ? [] : ['page']),
    ...(methods.every((each) => each.toLowerCase() in shown) ? [] : ['document']),
  ];
}

const plain = (path: string): string => path.replace('{idpWord}', 'idp');

describe('CHK-2: the 61 operations', () => {
  it('are 61, each once', () => {
    expect(listed).toHaveLength(61);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(61);
    expect(operations.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
    const commands = listedOperations.map(({ command }) => command);
    expect(new Set(commands).size).toBe(61);
  });

  it.each(listed)('$id has a descriptor, a route, a command and a page', async (operation) => {
    expect(await lacking(operation)).toEqual([]);
  });

  it('and a gap would be found', async () => {
    const planted = { n: 62, id: 'readMind', method: 'POST', path: '/v1/openapi/mind' };
    expect(await lacking(planted)).toEqual(['descriptor', 'route', 'command', 'page', 'document']);
    const [first] = listed;
    const wrong = { ...(first ?? planted), method: 'DELETE' };
    expect(await lacking(wrong)).toEqual(['descriptor', 'route', 'document']);
  });
});
