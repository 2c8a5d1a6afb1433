/** Compares the typed client's requests with the OpenAPI document. */

import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/platform/api.ts';
import { documentedFor, requestDifferences } from './documented.ts';
import { requestOf, sent } from './sent.ts';

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
