/**
 * Tests the exact limits of faults F14 (no sign-in, or clocks that differ) and F15 (HTTP 429) over HTTP. The limits
 * of single attempts are tested in retry.test.ts.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import {
  ask,
  type Client,
  clientOf,
  EXPERT,
  givesTokens,
  type HostilePlatform,
  sendJson,
  startHostilePlatform,
  TOKEN,
} from '../../fakes/hostile-platform.ts';
import { codeOf } from './decode.ts';

let server: HostilePlatform;
let client: Client;
beforeEach(async () => {
  server = await startHostilePlatform();
  client = clientOf(server.url);
  server.on(TOKEN, givesTokens);
});
afterEach(async () => {
  await client.platform.close();
  await server.close();
});

describe('the number of requests to a faulty platform', () => {
  it('F14: a clock that stays off after its correction is refused, not corrected again', async () => {
    const serverTime = Date.now() + 600_000;
    server.on(TOKEN, (_request, response) => {
      response.setHeader('date', new Date(serverTime).toUTCString());
      sendJson(response, { success: false, msg: 'signature is older than five minutes' });
    });
    expect(codeOf((await ask(client.gateway())).error)).toBeDefined();
    expect([server.paths(TOKEN).length, server.paths(EXPERT).length]).toEqual([2, 0]);
    expect(client.lines.filter(({ text }) => text.includes('clock'))).toHaveLength(1);
  });

  it.each([
    [60, 1],
    [61, 2],
    [-60, 1],
    [-61, 2],
  ])('F14: a clock that is %i s off makes %i requests', async (seconds, requests) => {
    const now = Date.UTC(2026, 10, 1);
    const frozen = clientOf(server.url, { clock: { ...systemClock, now: () => now } });
    server.on(TOKEN, (_request, response) => {
      response.setHeader('date', new Date(now + seconds * 1_000).toUTCString());
      sendJson(response, { success: false, msg: 'the signature is wrong' });
    });
    expect(codeOf((await ask(frozen.gateway())).error)).toBeDefined();
    expect(server.paths(TOKEN)).toHaveLength(requests);
    await frozen.platform.close();
  });

  it('F15: a permanent 429 is a clear failure after three attempts', async () => {
    server.on(EXPERT, (_request, response) => response.writeHead(429, { 'retry-after': '0' }).end());
    const asked = await ask(client.gateway());
    expect([codeOf(asked.error), server.paths(EXPERT).length]).toEqual(['platform-busy', 3]);
  });
});
