/**
 * Tests the exact limits of faults F14 (no sign-in, or clocks that differ) and F15 (HTTP 429) over HTTP. The limits
 * of single attempts are tested in retry.test.ts.
 */

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { ask, EXPERT, sendJson, TOKEN } from '../../fakes/hostile-platform.ts';
import { codeOf } from './decode.ts';
import { eachWithRig } from './typed-client.ts';

const rig = eachWithRig();

describe('the number of requests to a faulty platform', () => {
  it('F14: a clock that stays off after its correction is refused, not corrected again', async () => {
    const serverTime = Date.now() + 600_000;
    rig.server.on(TOKEN, (_request, response) => {
      response.setHeader('date', new Date(serverTime).toUTCString());
      sendJson(response, { success: false, msg: 'signature is older than five minutes' });
    });
    expect(codeOf((await ask(rig.owner.gateway())).error)).toBeDefined();
    expect([rig.server.paths(TOKEN).length, rig.server.paths(EXPERT).length]).toEqual([2, 0]);
    expect(rig.owner.lines.filter(({ text }) => text.includes('clock'))).toHaveLength(1);
  });

  it.each([
    [60, 1],
    [61, 2],
    [-60, 1],
    [-61, 2],
  ])('F14: a clock that is %i s off makes %i requests', async (seconds, requests) => {
    const now = Date.UTC(2026, 10, 1);
    const frozen = rig.other({ clock: { ...systemClock, now: () => now } });
    rig.server.on(TOKEN, (_request, response) => {
      response.setHeader('date', new Date(now + seconds * 1_000).toUTCString());
      sendJson(response, { success: false, msg: 'the signature is wrong' });
    });
    expect(codeOf((await ask(frozen.gateway())).error)).toBeDefined();
    expect(rig.server.paths(TOKEN)).toHaveLength(requests);
  });

  it('F15: a permanent 429 is a clear failure after three attempts', async () => {
    rig.server.on(EXPERT, (_request, response) => response.writeHead(429, { 'retry-after': '0' }).end());
    const asked = await ask(rig.owner.gateway());
    expect([codeOf(asked.error), rig.server.paths(EXPERT).length]).toEqual(['platform-busy', 3]);
  });
});
