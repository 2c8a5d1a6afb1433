/** Tests agents that answer in private only with the asker's own token of the identity provider. */

import { afterEach, describe, expect, test } from 'vitest';
import type { SignIn } from '../../../../src/core/channel/adapter.ts';
import { agentName, type TurnId } from '../../../../src/core/ids.ts';
import type { Person } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { BridgeError, catalogue } from '../../../../src/errors.ts';
import { createMemoryChannel } from '../../../fakes/memory-channel.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent, growing } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, seen, type World } from '../../../fakes/world.ts';

let world: World;
let refused: BridgeError | undefined;
afterEach(() => {
  world.close();
  refused = undefined;
});

const direct = { thread: thread({ kind: 'direct' }) };
const ADA = { channel: 'memory', tenant: 'acme', person: 'ada' };
const ADAS_ACCOUNT = 'ada@example.org (memory/acme/ada)';

function open(script: readonly Act[] = [{ say: 'Two years.' }], unmapped: 'service' | 'refuse' = 'refuse') {
  const agent = createScriptedAgent({
    ...{ name: 'books', asAsker: true, script: () => script },
    refuses: (account) => (account === ADAS_ACCOUNT ? refused : undefined),
  });
  const channel = createMemoryChannel();
  const begun: TurnId[] = [];
  const ended: TurnId[] = [];
  const signIn: SignIn = {
    isPossible: ({ key }) => !key.startsWith('elsewhere'),
    begin: async ({ id }) => void begun.push(id),
    end: ({ id }) => void ended.push(id),
  };
  channel.signIn = signIn;
  world = createWorld({ agents: [agent], channel, policy: { unmapped } });
  return { agent, begun, ended, channel };
}

const keep = (process: Process, asker = ADA, forMs = 3_600_000) =>
  process.askers.keep(asker, {
    ...{ token: `token of ${asker.person}`, name: `${asker.person}@example.org` },
    expiresAt: world.clock.now() + forMs,
  });
const shown = (turn: TurnId) => seen(world.channel, turn).document;

describe('a question in private', () => {
  test('waits until the client sends the token, then is asked once as the asker', async () => {
    const { agent, begun, ended } = open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?', direct);
    await world.clock.pass(5_000);
    expect(shown(turn)).toMatchObject({ state: 'thinking', meanwhile: words.signIn.waiting });
    expect(begun).toEqual([turn]);
    expect(agent.askings).toEqual([]);
    await keep(process);
    await world.clock.pass(2_000);
    expect(agent.askings.map(({ question }) => question.account)).toEqual([ADAS_ACCOUNT]);
    expect(shown(turn)).toMatchObject({ state: 'done', text: 'Two years.', notices: [] });
    expect(shown(turn)).not.toHaveProperty('meanwhile');
    expect(ended).toEqual([turn]);
  });

  test('does not wait while the token is valid, and waits again when it is about to end', async () => {
    const { agent, begun } = open();
    const process = await world.boot();
    await keep(process, ADA, 10 * 60_000);
    await ask(process, 'How long?', direct);
    await world.clock.pass(5_000);
    expect(agent.askings).toHaveLength(1);
    expect(begun).toEqual([]);
    await world.clock.pass(8 * 60_000);
    const second = await ask(process, 'And then?', direct);
    await world.clock.pass(5_000);
    expect(begun).toEqual([second]);
    expect(agent.askings).toHaveLength(1);
  });

  test('uses a token with little life left if the client sends it when asked', async () => {
    const { agent, begun } = open();
    const process = await world.boot();
    const token = { token: 'of ada', name: 'ada@example.org', expiresAt: world.clock.now() + 100_000 };
    await process.askers.keep(ADA, token);
    await world.clock.pass(1_000);
    const turn = await ask(process, 'How long?', direct);
    await world.clock.pass(5_000);
    expect(begun).toEqual([turn]);
    expect(agent.askings).toEqual([]);
    // The client sends the same token again, because it is still valid.
    await process.askers.keep(ADA, token);
    await world.clock.pass(2_000);
    expect(agent.askings.map(({ question }) => question.account)).toEqual([ADAS_ACCOUNT]);
    expect(shown(turn)).toMatchObject({ state: 'done', text: 'Two years.' });
  });

  test('is never asked with the token of another person', async () => {
    const { agent } = open();
    const process = await world.boot();
    const ben: Person = person({ id: 'ben', name: 'Ben' });
    await keep(process);
    const turn = await ask(process, 'How long?', { ...direct, sender: ben });
    await world.clock.pass(130_000);
    expect(agent.askings).toEqual([]);
    expect(shown(turn)).toMatchObject({ state: 'failed', error: 'sign-in-needed', retry: true });
  });

  test('ends with Retry after two minutes without a token', async () => {
    const { agent, ended } = open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?', direct);
    await world.clock.pass(118_000);
    expect(shown(turn).state).toBe('thinking');
    await world.clock.pass(4_000);
    expect(shown(turn)).toMatchObject({ state: 'failed', error: 'sign-in-needed', retry: true });
    expect(shown(turn).notices[0]?.text).toContain(catalogue['sign-in-needed'].tellUser);
    expect(agent.askings).toEqual([]);
    expect(ended).toEqual([turn]);
  });

  test('ends at once when the client reports that it got no token', async () => {
    open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?', direct);
    await world.clock.pass(3_000);
    await process.askers.fail(ADA);
    await world.clock.pass(2_000);
    expect(shown(turn)).toMatchObject({ state: 'failed', retry: true });
    expect(shown(turn).notices[0]?.text).toContain(words.signIn.failed);
  });

  test('ends when the client cannot be asked', async () => {
    const { channel } = open();
    channel.signIn = {
      ...channel.signIn,
      begin: () => Promise.reject(new BridgeError('channel-unavailable', 'No.')),
    } as SignIn;
    const turn = await ask(await world.boot(), 'How long?', direct);
    await world.clock.pass(3_000);
    expect(shown(turn)).toMatchObject({ state: 'failed', error: 'sign-in-needed', retry: true });
  });

  test('names the personal chat in a private thread where the client can send no token', async () => {
    const { begun } = open();
    const process = await world.boot();
    const there = { thread: thread({ kind: 'direct', key: 'elsewhere' }) };
    const turn = await ask(process, 'How long?', there);
    await world.clock.pass(3_000);
    expect(shown(turn).notices[0]?.text).toContain(words.signIn.inPersonalChat);
    expect(begun).toEqual([]);
    await keep(process);
    const again = await ask(process, 'And now?', there);
    await world.clock.pass(3_000);
    expect(shown(again)).toMatchObject({ state: 'done', text: 'Two years.' });
  });

  test('goes on when another process receives the token', async () => {
    const { agent } = open();
    await ask(await world.boot(), 'How long?', direct);
    await world.clock.pass(3_000);
    await keep(await world.boot({ owner: 'another', atOnce: 0 }));
    await world.clock.pass(3_000);
    expect(agent.askings.map(({ question }) => question.account)).toEqual([ADAS_ACCOUNT]);
  });

  test('takes no place of other questions while it waits', async () => {
    const { agent } = open(undefined, 'service');
    const process = await world.boot({ atOnce: 1 });
    await ask(process, 'How long?', direct);
    await world.clock.pass(3_000);
    await ask(process, 'And here?', { thread: thread({ key: 'another' }) });
    await world.clock.pass(5_000);
    expect(agent.askings).toHaveLength(1);
  });

  test('takes a place again once the token has arrived', async () => {
    const { agent } = open(growing('a'.repeat(100), 1, 1_000), 'service');
    const process = await world.boot({ atOnce: 1 });
    await ask(process, 'How long?', direct);
    await world.clock.pass(5_000);
    await keep(process);
    await world.clock.pass(5_000);
    await ask(process, 'And here?', { id: 'm2', thread: thread({ key: 'another' }) });
    await world.clock.pass(20_000);
    expect(agent.askings).toHaveLength(1);
    await world.clock.pass(120_000);
    expect(agent.askings).toHaveLength(2);
  });

  test('can be stopped while it waits', async () => {
    const { ended } = open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?', direct);
    await world.clock.pass(3_000);
    await process.intake({ kind: 'stop', thread: direct.thread, by: person() });
    await world.clock.pass(2_000);
    expect(shown(turn).state).toBe('stopped');
    expect(ended).toEqual([turn]);
  });
});

describe('a restart while a question waits', () => {
  test.each(['kill', 'stop'] as const)('asks the client again and keeps the question (%s)', async (how) => {
    const { agent, begun } = open();
    const first = await world.boot();
    const turn = await ask(first, 'How long?', direct);
    await world.clock.pass(60_000);
    if (how === 'kill') first.kill();
    else {
      const stopped = first.stop(0);
      await world.clock.pass(1_000);
      await stopped;
    }
    const second = await world.boot();
    await world.clock.pass(15_000);
    expect(begun).toEqual([turn, turn]);
    await keep(second);
    await world.clock.pass(2_000);
    expect(shown(turn)).toMatchObject({ state: 'done', text: 'Two years.' });
    expect(agent.askings).toHaveLength(1);
  });

  test('does not extend the two minutes', async () => {
    open();
    const first = await world.boot();
    const turn = await ask(first, 'How long?', direct);
    await world.clock.pass(100_000);
    first.kill();
    await world.boot();
    await world.clock.pass(40_000);
    expect(shown(turn)).toMatchObject({ state: 'failed', error: 'sign-in-needed' });
  });
});

describe('a running answer', () => {
  const LONG = growing('a'.repeat(100), 1, 1_000);

  test('is interrupted when the platform refuses the asker, also in the middle of a thread', async () => {
    const { agent } = open(LONG);
    const process = await world.boot();
    await keep(process);
    const turn = await ask(process, 'How long?', direct);
    await world.clock.pass(20_000);
    refused = new BridgeError('platform-refused', 'The account is disabled.');
    await world.clock.pass(10_000);
    expect(shown(turn)).toMatchObject({ state: 'partial', error: 'access-denied', retry: false });
    expect(agent.askings[0]?.ended).toBe('aborted');
    const next = await ask(process, 'And then?', direct);
    await world.clock.pass(3_000);
    expect(shown(next).notices[0]?.text).toContain(words.accountRefused);
    expect(agent.askings).toHaveLength(1);
  });

  test('is interrupted when the token ends, because the account can no longer be checked', async () => {
    open(LONG);
    const process = await world.boot();
    await keep(process);
    const turn = await ask(process, 'How long?', direct);
    await world.clock.pass(20_000);
    refused = new BridgeError('sign-in-needed', 'No token.');
    await world.clock.pass(10_000);
    expect(shown(turn)).toMatchObject({ state: 'partial', error: 'sign-in-needed', retry: true });
  });
});

test('in a room, no token is requested, and the agent gets no account of a person', async () => {
  const { agent, begun } = open(undefined, 'service');
  const process = await world.boot();
  await keep(process);
  await ask(process, 'How long?', { thread: thread({ kind: 'room' }) });
  await world.clock.pass(3_000);
  expect(begun).toEqual([]);
  expect(agent.askings.map(({ question }) => question.account)).toEqual([undefined]);
});

test('commands do not wait for a token, except those that read documents', async () => {
  const { begun } = open();
  const process = await world.boot();
  const who = await ask(process, 'whoami', direct);
  await world.clock.pass(3_000);
  expect(shown(who).text).toContain(words.signIn.later);
  expect(begun).toEqual([]);
  const search = await ask(process, 'search passes', direct);
  await world.clock.pass(3_000);
  expect(begun).toEqual([search]);
  await keep(process);
  await world.clock.pass(2_000);
  const now = await ask(process, 'whoami', { ...direct, id: 'a second message' });
  await world.clock.pass(3_000);
  expect(shown(now).text).toContain('the platform account **ada@example.org**');
});

test('new waits for a token, and then starts a new conversation of the account', async () => {
  const { begun } = open();
  const process = await world.boot();
  const key = { thread: direct.thread, agent: agentName('books'), account: ADAS_ACCOUNT };
  await process.sessions.save(key, { session: 'old conversation', history: [] });
  const fresh = await ask(process, 'new', direct);
  await world.clock.pass(3_000);
  expect(begun).toEqual([fresh]);
  await keep(process);
  await world.clock.pass(3_000);
  expect(shown(fresh).text).toContain('A new conversation');
  expect(await process.sessions.find(key)).toBeUndefined();
});

test('a question that was kept during an outage waits again for a token', async () => {
  let isUp = false;
  const agent = createScriptedAgent({
    name: 'books',
    asAsker: true,
    script: () =>
      isUp ? [{ say: 'Two years.' }] : [{ fail: new BridgeError('platform-unreachable', 'down') }],
  });
  const channel = createMemoryChannel();
  const begun: TurnId[] = [];
  channel.signIn = {
    isPossible: () => true,
    begin: async ({ id }) => void begun.push(id),
    end: () => undefined,
  };
  world = createWorld({
    agents: [agent],
    channel,
    policy: { unmapped: 'refuse' },
    platforms: [{ address: 'p', agents: ['books'], answers: () => isUp, failures: 1 }],
  });
  const process = await world.boot();
  const turn = await ask(process, 'How long?', direct);
  await world.clock.pass(3_000);
  await keep(process, ADA, 10 * 60_000);
  await world.clock.pass(12 * 60_000);
  isUp = true;
  await world.clock.pass(60_000);
  expect(begun).toEqual([turn, turn]);
  expect(shown(turn).state).toBe('thinking');
  await keep(process, ADA, 10 * 60_000);
  await world.clock.pass(5_000);
  expect(shown(turn)).toMatchObject({ state: 'done', text: 'Two years.' });
});
