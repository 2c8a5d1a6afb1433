/** Compares the store of people's tokens with a naive model, for people whose ids resemble each other. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskerTokenStore, createAskerTokens } from '../../../src/bridge/asker-tokens.ts';
import type { Asker } from '../../../src/core/asker.ts';
import { turnId } from '../../../src/core/ids.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../slack/keyed.ts';

const ASKERS: readonly Asker[] = ['teams', 'slack'].flatMap((channel) =>
  ['T1', 'T12'].flatMap((tenant) => ['U1', 'U12', '1'].map((person) => ({ channel, tenant, person }))),
);
const SECOND_MS = 1_000;

function open(): { clock: VirtualClock; tokens: AskerTokenStore; rows: Map<string, unknown> } {
  const clock = createVirtualClock();
  const rows = new Map<string, unknown>();
  return { clock, rows, tokens: createAskerTokens(memoryKeyed(rows), clock) };
}

describe('tokens of people', () => {
  const asker = fc.constantFrom(...ASKERS);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('keep' as const), asker, seconds: fc.integer({ min: -5, max: 60 }) }),
    fc.record({ kind: fc.constant('fail' as const), asker }),
    fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 30 }) }),
  );

  it('are valid exactly until they expire, each for its own person only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const { clock, tokens } = open();
        const naive = new Map<
          Asker,
          { token?: string; until?: number; storedAt?: number; failedAt?: number }
        >();
        for (const [nth, one] of steps.entries()) {
          if (one.kind === 'pass') await clock.pass(one.seconds * SECOND_MS);
          else if (one.kind === 'fail') {
            await tokens.fail(one.asker);
            naive.set(one.asker, { ...naive.get(one.asker), failedAt: clock.now() });
          } else {
            const expiresAt = clock.now() + one.seconds * SECOND_MS;
            await tokens.keep(one.asker, { token: `token ${nth}`, name: 'n', expiresAt });
            const now = { token: `token ${nth}`, until: expiresAt, storedAt: clock.now() };
            if (one.seconds > 0) naive.set(one.asker, { ...naive.get(one.asker), ...now });
          }
        }
        for (const each of ASKERS) {
          const { token, until = 0, storedAt = 0, failedAt } = naive.get(each) ?? {};
          for (const forMs of [0, SECOND_MS, 10 * SECOND_MS]) {
            const account = await tokens.find(each, forMs);
            expect(account !== undefined).toBe(until - forMs > clock.now());
            if (account !== undefined) expect((await tokens.secretOf(account)).reveal()).toBe(token);
          }
          const valid = until > clock.now();
          for (const since of [storedAt, storedAt + 1])
            expect((await tokens.find(each, 0, since)) !== undefined).toBe(valid && since <= storedAt);
          for (const since of [clock.now() - SECOND_MS, clock.now()])
            expect(await tokens.failedSince(each, since)).toBe(failedAt !== undefined && failedAt >= since);
        }
      }),
    );
  });

  it('that have expired already are not stored', async () => {
    const { clock, rows, tokens } = open();
    const [ada = { channel: '', tenant: '', person: '' }] = ASKERS;
    await tokens.keep(ada, { token: 't', name: 'n', expiresAt: clock.now() });
    expect([...rows]).toEqual([]);
  });
});

describe('waiting for a sign-in', () => {
  it.each([
    [
      'a new token',
      (tokens: AskerTokenStore, asker: Asker, now: number) =>
        tokens.keep(asker, { token: 't', name: 'n', expiresAt: now + SECOND_MS }),
    ],
    [
      'an expired token',
      (tokens: AskerTokenStore, asker: Asker, now: number) =>
        tokens.keep(asker, { token: 't', name: 'n', expiresAt: now }),
    ],
    ['a failure', (tokens: AskerTokenStore, asker: Asker) => tokens.fail(asker)],
  ])('ends by %s of the person, and of nobody else', async (_, change) => {
    const { clock, tokens } = open();
    const woken: Asker[] = [];
    const ended = new AbortController();
    const waits = [...ASKERS, ...ASKERS].map((each) =>
      tokens.changed(each, ended.signal).then(() => woken.push(each)),
    );
    for (const asker of ASKERS) {
      woken.length = 0;
      await change(tokens, asker, clock.now());
      await new Promise(setImmediate);
      expect(woken).toEqual([asker, asker]);
    }
    ended.abort();
    await Promise.all(waits);
  });

  it('can be aborted, and begun again', async () => {
    const { tokens } = open();
    const [ada = { channel: '', tenant: '', person: '' }] = ASKERS;
    const ended = new AbortController();
    const aborted = tokens.changed(ada, ended.signal);
    ended.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
    const again = tokens.changed(ada, new AbortController().signal);
    await tokens.fail(ada);
    await again;
  });

  it('has a deadline for each turn and for each time that the turn was postponed', async () => {
    const { clock, tokens } = open();
    const expected = new Map<string, number>();
    for (const id of ['t1', 't12', 't1', 't12'])
      for (const postponed of [undefined, 1, 12, 1]) {
        const key = `${id} ${postponed ?? 0}`;
        if (!expected.has(key)) expected.set(key, clock.now() + SECOND_MS);
        const turn = { id: turnId(id), ...(postponed !== undefined && { postponed }) };
        expect(await tokens.deadlineOf(turn, SECOND_MS), key).toBe(expected.get(key));
        await clock.pass(10);
      }
  });
});
