/**
 * Compares the typed client's requests with the OpenAPI document, and the document's required fields with those that
 * the sandbox requires.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../../sandbox/index.ts';
import { samples } from '../../../src/cli/platform/samples.ts';
import { type AnyOperation, operations } from '../../../src/platform/api.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import { fillPath, wireParts } from '../../../src/platform/wire/parts.ts';
import { documentedFor, requestDifferences } from './documented.ts';
import type { Exchange } from './recording-proxy.ts';

const file = { name: 'guide.md', size: 0, async *open() {} };

/** Returns the sample request, with file objects in place of file names. */
function requestOf({ id }: AnyOperation): Record<string, unknown> {
  const withFiles = ([name, value]: [string, unknown]) => {
    if (!/^files?$/.test(name)) return [name, value];
    return [name, Array.isArray(value) ? value.map(() => file) : file];
  };
  return Object.fromEntries(Object.entries(samples[id] ?? {}).map(withFiles));
}

function sent(operation: AnyOperation, request: Record<string, unknown>): Exchange {
  const parts = wireParts(operation, request, documentedDeployment);
  const path = fillPath(operation.path, { ...parts, path: { idpWord: 'idp', ...parts.path } });
  const form = parts.form?.map(({ name }) => `\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`);
  const json = parts.json === undefined ? '' : JSON.stringify(parts.json);
  return {
    method: operation.method,
    path,
    requestType: form === undefined ? 'application/json' : 'multipart/form-data',
    request: Buffer.from(form?.join('') ?? json).toString('latin1'),
    status: 200,
    answerType: '',
    answer: '',
  };
}

describe('requests of the client', () => {
  it.each(operations)('a request of $id matches the document', (operation) => {
    const exchange = sent(operation, requestOf(operation));
    expect(documentedFor(exchange)?.operationId).toBe(operation.id);
    expect(requestDifferences(exchange)).toEqual([]);
  });

  it('a request that the document does not describe is detected', () => {
    const chat = operations.find(({ id }) => id === 'askExpert');
    if (chat === undefined) throw new Error('There is no askExpert.');
    const exchange = sent(chat, requestOf(chat));
    const wrong = (body: unknown) => requestDifferences({ ...exchange, request: JSON.stringify(body) });
    expect(wrong({ expertCode: 'a', content: 'b', mood: 'c' })).toEqual(['request.mood is unknown']);
    expect(wrong({ expertCode: 'a' })).toEqual([expect.stringMatching(/^request\.content: /)]);
  });
});

describe('members that the document requires', () => {
  let sandbox: RunningSandbox;
  const proofs: Record<string, Record<string, string>> = {
    none: {},
    'api-key': { 'api-key': 'sandbox-key-knowledge' },
    admin: { authorization: `Bearer ${sandboxCatalogue.adminToken}` },
  };
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, memory: true, knowledge: [], options: { paceMs: 0 } });
    const { clientId, clientSecret } = sandboxCatalogue.liteClient;
    const lite = { client_id: clientId, client_secret: clientSecret, username: 'admin' };
    proofs.bearer = { authorization: `Bearer ${await token('/webapi/lite_api/v1/iam/client_token', lite)}` };
    const idp = { token: 'sandbox-idp-admin' };
    proofs.open = { authorization: `openapi ${await token('/openapi/auth/user/idp', idp)}` };
  });
  afterAll(() => sandbox.close());

  const post = (path: string, body: string, more: Record<string, string>, method = 'POST') =>
    fetch(sandbox.url + path, { method, body, headers: { 'content-type': 'application/json', ...more } });

  async function token(path: string, body: object): Promise<string> {
    const text = await (await post(path, JSON.stringify(body), {})).text();
    return /"access_token":"([^"]+)"/.exec(text)?.[1] ?? '';
  }

  /** True if the sandbox refuses the request because the field `name` is missing. */
  async function isMissed(operation: AnyOperation, { method, path, request }: Exchange, name: string) {
    const answer = await post(path, request, proofs[operation.credential] ?? {}, method);
    const text = await answer.text();
    return (!answer.ok || text.includes('"success":false')) && text.includes(name);
  }

  const named = operations.filter((operation) => /^{/.test(sent(operation, requestOf(operation)).request));
  it.each(named)('the sandbox requires the same members of $id', async (operation) => {
    // Uses a name that the sandbox knows, so that the sandbox goes on to check the other properties.
    const known = operation.id === 'updateUser' ? { userName: 'member-one' } : {};
    const exchange = sent(operation, { ...requestOf(operation), ...known });
    const members = Object.keys(JSON.parse(exchange.request));
    for (const name of members) {
      const { [name]: _left, ...rest } = JSON.parse(exchange.request);
      const without = { ...exchange, request: JSON.stringify(rest) };
      const documented = requestDifferences(without).length > 0;
      expect({ name, demanded: documented }).toEqual({
        name,
        demanded: await isMissed(operation, without, name),
      });
    }
  });
});
