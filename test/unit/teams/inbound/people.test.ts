/** Tests look-ups of people in Teams: their cache, Teams' rate limits, and the refusal if Teams does not answer. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/kit.ts';
import { type Conversation, type FakePerson, sporadic } from '../../../fakes/teams/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { type Rig, startRig } from '../rig.ts';

let clock: VirtualClock;
let rig: Rig;
beforeEach(async () => {
  clock = createVirtualClock({ start: Date.now() });
  rig = await startRig({ clock });
});
afterEach(() => rig.close());

async function asked(person: FakePerson, conversation: Conversation = person.dm()): Promise<Message> {
  await person.mentions(conversation, 'How long?').delivery?.done;
  const [taken] = rig.taken.splice(0);
  if (taken?.kind !== 'ask') throw new Error('nothing was asked');
  return taken.message;
}

function complete(message: Message): Promise<Message> {
  const { lookup } = rig.adapter.abilities;
  if (lookup === undefined) throw new Error('nobody is looked up');
  return lookup.complete(message, new AbortController().signal);
}

/** Advances the virtual clock until the promise is settled. Network calls take real time in between. */
async function inTime<Value>(promise: Promise<Value>): Promise<Value> {
  let pending = true;
  const settled = () => {
    pending = false;
  };
  promise.then(settled, settled);
  await expect
    .poll(
      async () => {
        if (clock.waiting > 0) await clock.pass(500);
        return pending;
      },
      { timeout: 90_000, interval: 5 },
    )
    .toBe(false);
  return promise;
}

const memberCalls = () => rig.fake.log.calls.filter(({ method }) => method === 'member');

test('a member has a name and an e-mail address, and is looked up once an hour', async () => {
  const person = rig.fake.tenant().person({ name: 'Engineer', email: 'engineer@example.com' });
  const message = await asked(person);
  const { sender } = await complete(message);
  expect(sender).toEqual({
    id: person.aadObjectId,
    account: person.id,
    name: 'Engineer',
    email: 'engineer@example.com',
    home: rig.fake.tenant().id,
    locale: 'en-US',
    standing: 'member',
  });
  await Promise.all([complete(message), complete(message)]);
  expect(memberCalls()).toHaveLength(1);
  await clock.pass(60 * 60_000 + 1);
  await complete(message);
  expect(memberCalls()).toHaveLength(2);
});

test('members of a channel are looked up in its team, then in the channel itself', async () => {
  const channel = rig.fake.tenant().team().channel();
  const message = await asked(rig.fake.tenant().person({ name: 'Engineer' }), channel);
  expect((await complete(message)).sender.name).toBe('Engineer');
});

describe('a person who is not a member (S18)', () => {
  test.each([
    ['guest', { role: 'guest' as const }],
    ['guest', { email: 'engineer_example.org#EXT#@example.onmicrosoft.com' }],
    ['external', { home: '99999999-9999-4999-8999-999999999999' }],
    ['external', { role: 'anonymous' as const }],
  ])('is %s: %j', async (standing, options) => {
    const message = await asked(rig.fake.tenant().person(options));
    expect((await complete(message)).sender.standing).toBe(standing);
  });

  test('is not looked up if it is another bot', async () => {
    const bot = rig.fake.tenant().person({ name: 'Other Bot', bot: true });
    const message = await asked(bot, rig.fake.tenant().chat());
    expect((await complete(message)).sender).toMatchObject({ standing: 'bot', name: 'Other Bot' });
    expect(memberCalls()).toEqual([]);
  });
});

describe('if Teams does not answer', () => {
  test.each([
    { kind: 'status', status: 500 },
    { kind: 'html' },
    { kind: 'reset' },
    sporadic.geo,
    sporadic.region,
  ] as const)('the person is refused with an explanation: %j', async (fault) => {
    const message = await asked(rig.fake.tenant().person());
    rig.fake.plant({ ...fault, method: 'member', count: 100 });
    await expect(inTime(complete(message))).rejects.toMatchObject({
      code: 'access-denied',
      tellUser: expect.stringContaining('in a minute'),
    });
  });

  test.each([
    { kind: 'status', status: 502 },
    { kind: 'rate', retryAfter: 2 },
    { kind: 'refuse' },
    sporadic[403],
    sporadic.geo,
    sporadic.region,
  ] as const)('for a moment, the look-up is repeated: %j', async (fault) => {
    const message = await asked(rig.fake.tenant().person({ name: 'Engineer' }));
    rig.fake.plant({ ...fault, method: 'member', count: 2 });
    expect((await inTime(complete(message))).sender.name).toBe('Engineer');
    expect(memberCalls()).toHaveLength(3);
  });

  test('the next question repeats a failed look-up', async () => {
    const message = await asked(rig.fake.tenant().person({ name: 'Engineer' }));
    rig.fake.plant({ kind: 'status', status: 404, method: 'member', count: 2 });
    await expect(complete(message)).rejects.toMatchObject({ code: 'access-denied' });
    expect((await complete(message)).sender.name).toBe('Engineer');
  });
});

describe('many people who ask at once', () => {
  let busy: Rig;
  beforeEach(async () => {
    busy = await startRig({ budgeted: true });
  });
  afterEach(() => busy.close());

  test.each([
    ['in as many chats', 70, undefined],
    ['in one channel', 24, () => busy.fake.tenant().team().channel()],
  ])(
    '%s are looked up within Teams’ limits',
    async (_, count, channelOf) => {
      const channel = channelOf?.();
      const people = Array.from({ length: count }, () => busy.fake.tenant().person());
      for (const person of people) await person.mentions(channel ?? person.dm(), 'How long?').delivery?.done;
      const messages = busy.taken.flatMap((taken) => (taken.kind === 'ask' ? [taken.message] : []));
      const { lookup } = busy.adapter.abilities;
      await Promise.all(messages.map((message) => lookup?.complete(message, new AbortController().signal)));
      const calls = [...busy.fake.log.of('member'), ...busy.fake.log.of('members')];
      expect(calls.length).toBeLessThanOrEqual(channel === undefined ? count : 21);
      expect(busy.fake.log.failed()).toEqual([]);
    },
    30_000,
  );
});

describe('hundreds of people who ask in one team at once', () => {
  const askAll = async (rigged: Rig, count: number) => {
    const channel = rigged.fake.tenant().team().channel();
    const people = Array.from({ length: count }, (_, nth) =>
      rigged.fake.tenant().person(nth === count - 1 ? { role: 'guest' } : {}),
    );
    for (const person of people) await person.mentions(channel, 'How long?').delivery?.done;
    const messages = rigged.taken.flatMap((taken) => (taken.kind === 'ask' ? [taken.message] : []));
    const { lookup } = rigged.adapter.abilities;
    const told = messages.map((message) => lookup?.complete(message, new AbortController().signal));
    return inTime(Promise.all(told));
  };

  test('are read from the list of members, and guests stay guests', async () => {
    const told = await askAll(rig, 300);
    const standings = told.map((message) => message?.sender.standing);
    expect(standings).toEqual([...Array(299).fill('member'), 'guest']);
    // At most twenty people are looked up one by one, each at most twice, before the list of members is read.
    expect(memberCalls().length).toBeLessThanOrEqual(40);
    expect(rig.fake.log.of('members')).toHaveLength(1);
  });

  test('are looked up one by one if the list cannot be read', async () => {
    rig.fake.plant({ kind: 'status', status: 403, method: 'members', count: 100 });
    const told = await askAll(rig, 60);
    expect(told.map((message) => message?.sender.standing).filter((each) => each === 'member')).toHaveLength(
      59,
    );
    expect(memberCalls().length).toBeGreaterThanOrEqual(60);
  });
});

test('the person who asks is looked up even without a permit', async () => {
  const message = await asked(rig.fake.tenant().person());
  const { room } = message.thread;
  rig.refuses = true;
  expect((await complete(message)).sender.standing).toBe('member');
  expect(rig.asked).toEqual([{ tenant: rig.fake.tenant().id, room, family: 'members', first: true }]);
});

describe('a person has two ids', () => {
  test('and is looked up by the documented one, which is the Teams id', async () => {
    const person = rig.fake.tenant().person();
    const message = await asked(person);
    expect(message.sender).toMatchObject({ id: person.aadObjectId, account: person.id });
    await complete(message);
    expect(memberCalls().map(({ asked: { id } }) => id)).toEqual([person.id]);
  });

  test('and is looked up by the directory id if Teams does not know the Teams id', async () => {
    const person = rig.fake.tenant().person();
    rig.fake.tenant().state.memberKey = 'aadObjectId';
    const { sender } = await complete(await asked(person));
    expect(sender).toMatchObject({ id: person.aadObjectId, name: person.name });
    expect(memberCalls().map(({ asked: { id } }) => id)).toEqual([person.id, person.aadObjectId]);
  });

  test('and does not count as a member if both are unknown, even a minute later', async () => {
    const person = rig.fake.tenant().person();
    const chat = person.dm();
    const message = await asked(person, chat);
    chat.members.clear();
    await expect(complete(message)).rejects.toMatchObject({
      code: 'access-denied',
      tellUser: expect.stringContaining('does not list you'),
    });
    expect(memberCalls()).toHaveLength(2);
  });
});
