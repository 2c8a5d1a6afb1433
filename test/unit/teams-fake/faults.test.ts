/** Tests the planted faults of the fake Teams: their effects, responses and repeated deliveries. */

import { describe, expect, test } from 'vitest';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { fakeTeams, send, smallBot, update } from './wire.ts';

describe('a call', () => {
  test.each([
    [{ kind: 'rate', retryAfter: 3 }, 429, 'Throttled'],
    [{ kind: 'status', status: 412 }, 412, 'PreconditionFailed'],
    [{ kind: 'status', status: 502 }, 502, 'BadGateway'],
    [{ kind: 'status', status: 504 }, 504, 'GatewayTimeout'],
    [{ kind: 'status', status: 500 }, 500, 'ServiceError'],
    [{ kind: 'status', status: 403 }, 403, 'BotNotInConversationRoster'],
    [{ kind: 'status', status: 404 }, 404, 'ConversationNotFound'],
    [{ kind: 'status', status: 403, code: 'ConversationBlockedByUser' }, 403, 'ConversationBlockedByUser'],
  ] as const)('is refused by %j, without an effect', async (fault, status, code) => {
    const fake = await fakeTeams();
    const dm = fake.tenant().person().dm();
    const planted = fake.plant({ ...fault, method: 'send', conversation: dm.id });
    const answer = await send(fake, dm, {});
    expect(answer).toMatchObject({ status, code });
    if (status === 429) expect(answer.headers.get('retry-after')).toBe('3');
    expect([planted.hits, fake.screen(dm)]).toEqual([1, []]);
    expect((await send(fake, dm, {})).status).toBe(201);
    expect(fake.log.failed(code)).toHaveLength(1);
  });

  test('has its effect despite a response with an error', async () => {
    const fake = await fakeTeams();
    const dm = fake.tenant().person().dm();
    fake.plant({ kind: 'gateway', status: 502 });
    expect((await send(fake, dm, { text: 'x' })).status).toBe(502);
    expect(fake.screen(dm)).toMatchObject([{ text: 'x' }]);
  });

  test.each([
    ['reset', 1],
    ['refuse', 0],
  ] as const)('is cut off: %s', async (kind, shown) => {
    const fake = await fakeTeams();
    const dm = fake.tenant().person().dm();
    await send(fake, dm, {});
    fake.plant({ kind, method: 'update' });
    const [message] = fake.messages(dm);
    await expect(update(fake, dm, message?.id ?? '', { text: 'edited' })).rejects.toThrow();
    expect(message?.history).toHaveLength(shown);
  });

  test('is delayed by the clock', async () => {
    const clock = createVirtualClock();
    const fake = await fakeTeams({ clock });
    const dm = fake.tenant().person().dm();
    await send(fake, dm, {});
    fake.plant({ kind: 'slow', ms: 5_000, method: 'send' });
    const late = send(fake, dm, { text: 'late' });
    await expect.poll(() => clock.waiting).toBe(1);
    expect(fake.screen(dm)).toHaveLength(1);
    await clock.pass(5_000);
    expect((await late).status).toBe(201);
    const call = fake.log.calls.at(-1);
    expect((call?.doneAt ?? 0) - (call?.at ?? 0)).toBe(5_000);
  });

  test('is hit by count, after a number of calls, and by probability', async () => {
    const fake = await fakeTeams({ limits: { off: true } });
    const dm = fake.tenant().person().dm();
    const statuses = async (count: number) => {
      const all: number[] = [];
      for (let nth = 0; nth < count; nth += 1) all.push((await send(fake, dm, {})).status);
      return all;
    };
    fake.plant({ kind: 'status', status: 500, after: 1, count: 2 });
    expect(await statuses(4)).toEqual([201, 500, 500, 201]);
    fake.plant({ kind: 'status', status: 502, probability: 0.5, count: 100 });
    const hit = (await statuses(20)).filter((status) => status === 502).length;
    expect(hit).toBeGreaterThan(3);
    expect(hit).toBeLessThan(17);
    fake.clearFaults();
    expect(await statuses(2)).toEqual([201, 201]);
  });
});

describe('a delivery', () => {
  test('is repeated once after a server error, and not after a refusal', async () => {
    const bot = await smallBot();
    const fake = await fakeTeams({ deliverTo: bot.url });
    const person = fake.tenant().person();
    bot.status = 503;
    await person.says(person.dm(), 'Hello').delivery?.done;
    expect(bot.received).toHaveLength(2);
    bot.status = 401;
    await person.says(person.dm(), 'Hello').delivery?.done;
    expect(bot.received).toHaveLength(3);
  });

  test('of an invoke is not repeated', async () => {
    const bot = await smallBot();
    const fake = await fakeTeams({ deliverTo: bot.url });
    const person = fake.tenant().person();
    bot.status = 500;
    await person.sends(person.dm(), { type: 'invoke', name: 'task/fetch', value: {} }).done;
    expect(bot.received).toHaveLength(1);
  });
});
