/** Tests answers whose asker loses their platform account while the answer runs. */

import { afterEach, describe, expect, test } from 'vitest';
import { createAccountTable, joinTables, type Mapping } from '../../../../src/core/agents/access.ts';
import type { TurnId } from '../../../../src/core/ids.ts';
import { words } from '../../../../src/core/words.ts';
import { BridgeError, catalogue, type ErrorCode } from '../../../../src/errors.ts';
import { createMemoryChannel } from '../../../fakes/memory-channel.ts';
import { thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent, growing } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

let world: World;
let refused: BridgeError | undefined;
afterEach(() => {
  world.close();
  refused = undefined;
});

const ADA: Mapping = { person: 'ada', account: 'ada@p' };
const DISABLED = new BridgeError('platform-refused', 'The account is disabled.');
/** An answer that ends after 100 s. */
const LONG = growing('a'.repeat(100), 1, 1_000);

function open(script: readonly Act[], policy: WorldOptions['policy'] = { identity: [ADA] }) {
  const agent = createScriptedAgent({
    name: 'books',
    script: () => script,
    refuses: (account) => (account === 'ada@p' ? refused : undefined),
  });
  world = createWorld({ agents: [agent], policy });
  return agent;
}
const documentOf = (turn: TurnId) => seen(world.channel, turn).document;

describe('an answer is cut off within 10 s', () => {
  test.each([
    'direct',
    'room',
  ] as const)('when the platform disables the account, in a %s thread', async (kind) => {
    const agent = open(LONG);
    const process = await world.boot();
    const turn = await ask(process, 'How long?', { thread: thread({ kind }) });
    await world.clock.pass(22_000);
    refused = DISABLED;
    await world.clock.pass(10_000);
    const document = documentOf(turn);
    expect(document).toMatchObject({ state: 'partial', error: 'access-denied', retry: false });
    expect(document.text).toMatch(/^a{20,32}$/);
    expect(document.notices.map(({ text }) => text)).toEqual([words.lockedOut]);
    expect(document).not.toHaveProperty('agent');
    expect(agent.askings[0]?.ended).toBe('aborted');
    expect((await process.inbox.find(turn))?.state).toBe('partial');
  });

  test('when the account is disabled before the first word, and a restart does not ask again', async () => {
    const agent = open([{ silence: true }]);
    const first = await world.boot();
    const turn = await ask(first, 'How long?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(3_000);
    refused = DISABLED;
    await world.clock.pass(10_000);
    expect(documentOf(turn)).toMatchObject({ state: 'failed', text: '', retry: false });
    expect(documentOf(turn).notices[0]?.text).toBe(words.lockedOutBeforeText);
    await first.stop(0);
    await world.boot();
    await world.clock.pass(60_000);
    expect(agent.askings).toHaveLength(1);
  });

  test.each([
    ['removes the person', [], 'refuse'],
    ['removes the person, and others ask with the service account', [], 'service'],
    ['gives the person another account', [{ ...ADA, account: 'other@p' }], 'refuse'],
  ] as const)('when the operator %s', async (_what, later, unmapped) => {
    let entries: readonly Mapping[] = [ADA];
    const accounts = joinTables(createAccountTable([]), () => createAccountTable(entries));
    open(LONG, { accounts, unmapped });
    const turn = await ask(await world.boot(), 'How long?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(12_000);
    entries = later;
    await world.clock.pass(10_000);
    expect(documentOf(turn)).toMatchObject({ state: 'partial' });
    expect(documentOf(turn).notices[0]?.text).toBe(words.lockedOut);
  });
});

describe('a person whom the identity provider no longer accepts', () => {
  let accepted: boolean | Error;
  function openAccepting(script: readonly Act[]) {
    accepted = true;
    const channel = createMemoryChannel();
    channel.isAccepted = async (person, use) => {
      if (accepted instanceof Error) throw accepted;
      return accepted || person !== 'ada' || use !== 'ask';
    };
    const agent = createScriptedAgent({ name: 'books', script: () => script });
    world = createWorld({ agents: [agent], channel });
    return agent;
  }

  test('gets no more of a running answer within 10 s, also without an account, and no queued answer', async () => {
    const agent = openAccepting(LONG);
    const process = await world.boot();
    const turn = await ask(process, 'How long?', { thread: thread({ kind: 'direct' }) });
    const queued = await ask(process, 'And then?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(22_000);
    accepted = false;
    await world.clock.pass(10_000);
    expect(documentOf(turn)).toMatchObject({ state: 'partial', error: 'access-denied', retry: false });
    expect(documentOf(turn).notices.map(({ text }) => text)).toEqual([words.notAccepted]);
    expect(agent.askings).toMatchObject([{ ended: 'aborted' }]);
    expect(documentOf(queued)).toMatchObject({ state: 'failed', text: '', retry: false });
    expect(documentOf(queued).notices[0]?.text).toContain(words.notAcceptedBeforeText);
  });

  test('is not locked out while the provider is down, but is asked to try again if it is down too long', async () => {
    openAccepting(LONG);
    const process = await world.boot();
    const turn = await ask(process, 'How long?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(12_000);
    accepted = new BridgeError('sign-in-unavailable', 'Down.');
    await world.clock.pass(120_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: 'a'.repeat(100) });
    const later = await ask(process, 'And then?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(1_000);
    expect(documentOf(later)).toMatchObject({ state: 'failed', error: 'sign-in-unavailable', retry: true });
  });
});

describe('an answer is finished', () => {
  test.each([
    'platform-unreachable',
    'platform-busy',
  ] as const)('when the check fails with %s', async (code) => {
    open(LONG);
    const turn = await ask(await world.boot(), 'How long?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(12_000);
    refused = new BridgeError(code, 'No answer.');
    await world.clock.pass(120_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: 'a'.repeat(100), notices: [] });
  });

  test('when its whole text has arrived before the account is disabled', async () => {
    open([{ say: 'Two years.' }]);
    const turn = await ask(await world.boot(), 'How long?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(2_000);
    refused = DISABLED;
    await world.clock.pass(60_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: 'Two years.', notices: [] });
  });

  test('for a person without an account who gets one meanwhile', async () => {
    let entries: readonly Mapping[] = [];
    const accounts = joinTables(createAccountTable([]), () => createAccountTable(entries));
    open(LONG, { accounts });
    const turn = await ask(await world.boot(), 'How long?', { thread: thread({ kind: 'direct' }) });
    await world.clock.pass(12_000);
    entries = [ADA];
    await world.clock.pass(120_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done' });
  });
});

/** Codes with which the platform refuses an account, and the code that says that the person must sign in again. */
const REFUSING: readonly string[] = [
  'platform-auth',
  'platform-permission',
  'platform-parameter',
  'platform-refused',
  'access-denied',
  'sign-in-needed',
];

test.each(
  Object.keys(catalogue) as ErrorCode[],
)('the check of an account that fails with %s', async (code) => {
  open(LONG);
  const turn = await ask(await world.boot(), 'How long?', { thread: thread({ kind: 'direct' }) });
  await world.clock.pass(12_000);
  refused = new BridgeError(code, 'No.');
  await world.clock.pass(10_000);
  expect(documentOf(turn).state).toBe(REFUSING.includes(code) ? 'partial' : 'writing');
});
