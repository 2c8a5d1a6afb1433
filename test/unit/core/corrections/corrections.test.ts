import { beforeEach, describe, expect, test } from 'vitest';
import { createAccountTable } from '../../../../src/core/agents/access.ts';
import type { Library } from '../../../../src/core/agents/library.ts';
import type { Asker } from '../../../../src/core/asker.ts';
import type { CorrectionsDeps } from '../../../../src/core/corrections/corrections.ts';
import { agentName, turnId } from '../../../../src/core/ids.ts';
import type { Person } from '../../../../src/core/message.ts';
import type { Act } from '../../../../src/core/stores/audit.ts';
import { words } from '../../../../src/core/words.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { permissionsOf } from '../../../fakes/permissions.ts';
import { agent, person, thread } from '../../../fakes/samples.ts';
import { memoryKeyed } from '../../slack/keyed.ts';

const KNOWLEDGE = agentName('knowledge');
const target = { workspace: 'handbook', account: 'ada@p' };
const correction = {
  ...{ thread: thread(), turn: turnId('t1'), agent: KNOWLEDGE, by: person() },
  ...{ question: 'Where is the key?', answer: 'Under the mat.' },
};

let acts: Act[];
let logged: string[];
let deps: Partial<CorrectionsDeps>;
let now: number;
beforeEach(() => {
  [acts, logged, now] = [[], [], 1_000];
  const log = (facts: object, text: string) => void logged.push(`${text} ${JSON.stringify(facts)}`);
  deps = {
    noteAct: async (act) => void acts.push(act),
    log: { debug: log, info: log, warn: log, error: log },
    clock: { now: () => now, wait: async () => undefined },
    sent: memoryKeyed(),
  };
});
const open = (over: Parameters<typeof correctionsOf>[1] = {}) =>
  correctionsOf(permissionsOf({ correct: ['member'] }), { ...deps, ...over });

describe('a pair is stored once', () => {
  test('with the workspace and the account of the target', async () => {
    const corrections = open();
    expect(await corrections.store(correction, target)).toBe('stored');
    const { question, answer } = correction;
    expect(corrections.pairs).toEqual([{ question, answer, ...target }]);
  });

  test('although it is sent again, also after a restart', async () => {
    const corrections = open();
    await corrections.store(correction, target);
    expect(await corrections.store(correction, target)).toBe('known');
    expect(await open().store(correction, target)).toBe('known');
    expect(corrections.pairs).toHaveLength(1);
  });

  test('although two presses come at the same time', async () => {
    const corrections = open();
    const both = await Promise.all([1, 2].map(() => corrections.store(correction, target)));
    expect(both.sort()).toEqual(['running', 'stored']);
    expect(corrections.pairs).toHaveLength(1);
  });

  test('if the process died while it was sent', async () => {
    const never = Promise.withResolvers<never>();
    const first = open({ libraryOf: (library) => ({ ...library, addPair: () => never.promise }) });
    void first.store(correction, target).catch(() => undefined);
    await expect.poll(() => open().store(correction, target)).toBe('running');
    now += 120_000;
    const later = open();
    expect(await later.store(correction, target)).toBe('unconfirmed');
    expect(later.pairs).toEqual([]);
  });

  test('if the platform did not confirm it', async () => {
    const corrections = open();
    corrections.platform = 'does not confirm';
    expect(await corrections.store(correction, target)).toBe('unconfirmed');
    corrections.platform = 'stores';
    expect(await corrections.store(correction, target)).toBe('unconfirmed');
    expect(corrections.pairs).toHaveLength(1);
  });

  test.each([
    ['a changed answer', { answer: 'In the drawer.' }],
    ['a changed question', { question: 'Where are the keys?' }],
    ['another reply', { turn: turnId('t2') }],
  ])('but %s is another pair', async (_, changed) => {
    const corrections = open();
    await corrections.store(correction, target);
    expect(await corrections.store({ ...correction, ...changed }, target)).toBe('stored');
    expect(corrections.pairs).toHaveLength(2);
  });

  test('and a refused one can be sent again', async () => {
    const corrections = open();
    corrections.platform = new BridgeError('platform-permission', 'no');
    await expect(corrections.store(correction, target)).rejects.toThrow('no');
    corrections.platform = 'stores';
    expect(await corrections.store(correction, target)).toBe('stored');
    expect(acts.map(({ outcome }) => outcome)).toEqual(['refused', 'done']);
  });

  test('even if its outcome cannot be written', async () => {
    const sent = { ...memoryKeyed(), set: () => Promise.reject(new Error('the disk is full')) };
    expect(await open({ sent }).store(correction, target)).toBe('stored');
    expect(logged.join()).toContain('was not stored');
  });
});

test('the audit and the log say who corrected what and when, without the texts', async () => {
  await open().store(correction, target);
  const facts = { outcome: 'done', turn: 't1', agent: 'knowledge', account: 'ada@p', person: 'ada' };
  expect(acts).toEqual([expect.objectContaining({ action: 'correct', detail: 'handbook', ...facts })]);
  expect(logged).toEqual([expect.stringContaining('an answer was corrected')]);
  expect(logged[0]).toContain('"workspace":"handbook"');
  expect(JSON.stringify([acts, logged])).not.toMatch(/key|mat\./);
});

describe('the target is', () => {
  const reply = { thread: thread(), turn: turnId('t1'), agent: KNOWLEDGE };
  const other = { ...reply, agent: agentName('other') };

  test("the agent's workspace, as the service account", async () => {
    expect(await open().target(reply, person())).toEqual({ workspace: 'handbook' });
  });

  test("the room's workspace, if the agent has none, as the person's own account", async () => {
    const policy = {
      accounts: createAccountTable([{ person: 'ada', account: 'ada@p' }]),
      unmapped: 'service',
      rooms: 'service',
    } as const;
    const corrections = open({ policy, room: () => ({ workspace: 'support' }) });
    expect(await corrections.target(other, person())).toEqual({ workspace: 'support', account: 'ada@p' });
  });

  test('nothing without a workspace or a client of the Open API', async () => {
    expect(await open().target(other, person())).toBeUndefined();
    expect(await open({ libraryOf: () => undefined }).target(reply, person())).toBeUndefined();
  });

  test('refused if people need an account of their own', async () => {
    const corrections = open({
      policy: { accounts: createAccountTable([]), unmapped: 'refuse', rooms: 'service' },
    });
    await expect(corrections.target(reply, person())).rejects.toThrow('identity.unmapped');
  });

  test.each([
    'service',
    'refuse',
  ] as const)('the account that the person linked, with unmapped: %s', async (unmapped) => {
    const policy = { accounts: createAccountTable([]), unmapped, rooms: 'service' } as const;
    const links = { find: async ({ id }: Person) => (id === 'ada' ? 'linked@p' : undefined) };
    const corrections = open({ policy, links });
    expect(await corrections.target(reply, person())).toEqual({ workspace: 'handbook', account: 'linked@p' });
  });

  test('in private the account of the person’s own token, if the agent uses it, and nobody else’s', async () => {
    const library = {} as Library;
    const asker = { ...agent('knowledge'), asAsker: true as const, workspace: 'handbook', library };
    const directory = { agents: new Map([[KNOWLEDGE, asker]]), fallback: KNOWLEDGE };
    const askers = {
      find: async (of: Asker) => (of.person === 'ada' ? 'ada (memory/acme/ada)' : undefined),
    };
    const corrections = open({ directory, askers, signsIn: () => true });
    const inPrivate = { ...reply, thread: thread({ kind: 'direct' }) };
    expect(await corrections.target(inPrivate, person())).toMatchObject({ account: 'ada (memory/acme/ada)' });
    await expect(corrections.target(inPrivate, person({ id: 'eve' }))).rejects.toMatchObject({
      ...{ code: 'access-denied', tellUser: words.signIn.askFirst },
    });
    expect(await corrections.target(reply, person())).toEqual({ workspace: 'handbook' });
    const elsewhere = open({ directory, askers, signsIn: () => false });
    expect(await elsewhere.target(inPrivate, person())).toEqual({ workspace: 'handbook' });
  });
});

test('a correction is offered only where a rule allows it and a workspace can store it', () => {
  const here = { thread: thread(), agent: KNOWLEDGE };
  expect(open().offered(here)).toBe(true);
  expect(open().offered({ ...here, agent: agentName('other') })).toBe(false);
  expect(open({ libraryOf: () => undefined }).offered(here)).toBe(false);
  expect(correctionsOf(permissionsOf(), deps).offered(here)).toBe(false);
});

test('if the agent and the room have a workspace, and the table and a link an account, the agent’s and the table’s count', async () => {
  const accounts = createAccountTable([{ person: 'ada', account: 'ada@p' }]);
  const policy = { unmapped: 'refuse', rooms: 'service', accounts } as const;
  const corrections = open({
    policy,
    room: () => ({ workspace: 'support' }),
    links: { find: async () => 'linked@p' },
  });
  const reply = { thread: thread(), turn: turnId('t1'), agent: KNOWLEDGE };
  expect(await corrections.target(reply, person())).toEqual({ workspace: 'handbook', account: 'ada@p' });
});
