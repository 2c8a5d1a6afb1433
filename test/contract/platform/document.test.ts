/** What the typed client sends is what the OpenAPI document says, in every operation. */

import { describe, expect, it } from 'vitest';
import { samples } from '../../../src/cli/platform/samples.ts';
import { type AnyOperation, operations } from '../../../src/platform/api.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import { fillPath, wireParts } from '../../../src/platform/wire/parts.ts';
import { documentedFor, requestDifferences } from './documented.ts';
import type { Exchange } from './recording-proxy.ts';

const file = { name: 'guide.md', size: 0, async *open() {} };

/** The example's request, with bytes where it names files. */
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

describe('what the client sends', () => {
  it.each(operations)('of $id is in the document', (operation) => {
    const exchange = sent(operation, requestOf(operation));
    expect(documentedFor(exchange)?.operationId).toBe(operation.id);
    expect(requestDifferences(exchange)).toEqual([]);
  });

  it('and what is not would be found', () => {
    const chat = operations.find(({ id }) => id === 'askExpert');
    if (chat === undefined) throw new Error('There is no askExpert.');
    const exchange = sent(chat, requestOf(chat));
    const wrong = (body: unknown) => requestDifferences({ ...exchange, request: JSON.stringify(body) });
    expect(wrong({ expertCode: 'a', content: 'b', mood: 'c' })).toEqual(['request.mood is unknown']);
    expect(wrong({ expertCode: 'a' })).toEqual([expect.stringMatching(/^request\.content: /)]);
  });
});
