/** Checks that tests cannot reach another machine with any client. */

import { request } from 'node:http';
import { request as undiciRequest } from 'undici';
import { expect, test } from 'vitest';

/** An address that no machine has, because it is reserved for documentation (RFC 5737). */
const ELSEWHERE = 'http://192.0.2.1/';

test.each<[string, () => Promise<unknown>]>([
  ['fetch', () => fetch(ELSEWHERE)],
  ['fetch of a name', () => fetch('https://slack.com/')],
  ['undici', () => undiciRequest(ELSEWHERE)],
  [
    'http',
    () => new Promise((_, reject) => void request('http://graph.microsoft.com/').on('error', reject).end()),
  ],
])('%s is refused', async (_client, open) => {
  const error: unknown = await open().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  const { message, cause } = error as Error;
  expect(`${message} ${cause}`).toContain('Disallowed net connect');
});
