/**
 * Tests CHK-2: compares a handwritten list of operations with the descriptors, routes, commands and pages, so that
 * missing descriptors, routes, commands and pages are found.
 */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import { platformCommand } from '../../../src/cli/platform/program.ts';
import { listedOperations } from '../../../src/cli/platform/show.ts';
import { operations } from '../../../src/platform/api.ts';

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

/** Makes the sandbox fail the next request to a route. Resolves with false if there is no such route. */
async function spoil(route: string): Promise<boolean> {
  const body = JSON.stringify({ fault: 'F01', route, status: SPOILED });
  return (await fetch(`${sandbox.url}/__sandbox/faults`, { method: 'POST', body })).ok;
}
const SPOILED = 503;

/**
 * True if a request for this operation reaches the operation's own route in the sandbox, and not a route with a similar
 * path.
 */
async function isServed({ id, path }: Listed, method: string): Promise<boolean> {
  const known = await spoil(id);
  const filled = path.replace('{idp}', 'idp').replaceAll(/\{\w+\}/g, '12345');
  const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } };
  const answer = await fetch(sandbox.url + filled, { method, ...body });
  await fetch(`${sandbox.url}/__sandbox/faults`, { method: 'DELETE' });
  return known && answer.status === SPOILED;
}

const commandTree = platformCommand(async () => undefined);

/** True if the command line has the command that is listed for the operation. */
function hasCommand(id: string): boolean {
  const [group, name] = listedOperations.find((each) => each.id === id)?.command.split(' ') ?? [];
  const found = commandTree.commands.find((command) => command.name() === group);
  return found?.commands.some((command) => command.name() === name) ?? false;
}

/** Returns the parts that an operation of the list lacks, such as a descriptor, route, command or page. */
async function lacking(operation: Listed): Promise<readonly string[]> {
  const { id, method, path, alternateMethod } = operation;
  const found = operations.find((operation) => operation.id === id);
  const page = found && readFileSync(new URL(`${found.capability}.md`, docs), 'utf8');
  const methods = [method, ...(alternateMethod === undefined ? [] : [alternateMethod])];
  const served: boolean[] = [];
  for (const each of methods) served.push(await isServed(operation, each));
  const alternatives = found?.alternatives?.map((each) => each.method) ?? [];
  const shown = paths[path] ?? {};
  return [
    ...(found?.method === method && plain(found.path) === path ? [] : ['descriptor']),
    ...(alternateMethod === undefined || alternatives.some((each) => each === alternateMethod)
      ? []
      : ['alternate']),
    ...(served.every(Boolean) ? [] : ['route']),
    ...(hasCommand(id) ? [] : ['command']),
    ...(page?.includes(`## ${id}\n`) ? [] : ['page']),
    ...(methods.every((each) => each.toLowerCase() in shown) ? [] : ['document']),
  ];
}

const plain = (path: string): string => path.replace('{idpWord}', 'idp');

describe('CHK-2: the 61 operations', () => {
  it('are exactly 61 different ones', () => {
    expect(listed).toHaveLength(61);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(61);
    expect(operations.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
    const commands = listedOperations.map(({ command }) => command);
    expect(new Set(commands).size).toBe(61);
  });

  it.each(listed)('include $id with a descriptor, a route, a command and a page', async (operation) => {
    expect(await lacking(operation)).toEqual([]);
  });

  it('are reported if a part is missing', async () => {
    const planted = { n: 62, id: 'readMind', method: 'POST', path: '/v1/openapi/mind' };
    expect(await lacking(planted)).toEqual(['descriptor', 'route', 'command', 'page', 'document']);
    const [first] = listed;
    const wrong = { ...(first ?? planted), method: 'DELETE' };
    expect(await lacking(wrong)).toEqual(['descriptor', 'route', 'document']);
    const other = { ...(first ?? planted), alternateMethod: 'PUT' };
    expect(await lacking(other)).toEqual(['alternate', 'route', 'document']);
    // The path fits the route of another operation. This must not count as a route of the planted operation.
    const swallowed = { n: 62, id: 'me', method: 'GET', path: '/v1/openapi/user/you' };
    expect(await lacking(swallowed)).toEqual(['descriptor', 'route', 'document']);
  });
});
