/**
 * Compares the typed client's requests with the OpenAPI document, and the document's required fields with those that
 * the sandbox requires.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import { type AnyOperation, operations } from '../../../src/platform/api.ts';
import { documentedFor, requestDifferences } from './documented.ts';
import type { Exchange } from './recording-proxy.ts';
import { proofsAt, requestOf, sent } from './sent.ts';

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
  let proofs: Awaited<ReturnType<typeof proofsAt>>;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, memory: true, knowledge: [], options: { paceMs: 0 } });
    proofs = await proofsAt(sandbox.url);
  });
  afterAll(() => sandbox.close());

  const post = (path: string, body: string, more: Record<string, string>, method = 'POST') =>
    fetch(sandbox.url + path, { method, body, headers: { 'content-type': 'application/json', ...more } });

  /** True if the sandbox refuses the request because the field `name` is missing. */
  async function isMissed(operation: AnyOperation, { method, path, request }: Exchange, name: string) {
    const answer = await post(path, request, proofs[operation.credential], method);
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
      // Documented as required, but with a default (platform contract RAG-4, RAG-8).
      if (operation.id === 'retrieve' && name.startsWith('rag')) continue;
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
