/** Tests attacks S13 and S16 to S18: presses, forms and requests with forged or foreign values, or sent twice. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPrivatePlaces, privateThread } from '../../../../adapters/slack/private-places.ts';
import type { SlackAct } from '../../../../adapters/slack/receive/events.ts';
import { actionValue } from '../../../../adapters/slack/render/actions.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import type { ReplyRef } from '../../../../src/kit/reply-ref.ts';
import type { FakePerson } from '../../../fakes/slack/index.ts';
import { documentOf, openRig, type Rig, TURN } from '../interactions/rig.ts';
import { memoryKeyed } from '../keyed.ts';

const CANARY = 'CANARY-of-the-private-answer';
let rig: Rig;
let thief: FakePerson;
beforeEach(async () => {
  rig = await openRig();
  // Slack does not know the forged forms, so it would refuse to update them.
  rig.slack.plant({ kind: 'error', method: 'views.update', error: 'invalid_arguments', count: 1_000 });
  thief = rig.workspace.person({ name: 'thief' });
  rig.room.members.add(thief.id);
});
afterEach(() => rig.close());

const source = { key: 's', title: CANARY, kind: 'document', fragments: [{ text: CANARY }] } as const;
let acts = 0;

/** Sends a press as Slack would, with any value. */
async function press(who: FakePerson, id: string, value: string, conversation = rig.room.id) {
  acts += 1;
  await rig.interactions.act(
    {
      kind: 'pressed',
      by: { user: who.id },
      action: { id, value, ts: `1793491300.${acts}` },
      conversation,
    },
    rig.installed,
  );
  await rig.settled();
}

const submitted = (who: FakePerson, view: Partial<Plain>): SlackAct => ({
  kind: 'submitted',
  by: { user: who.id },
  view: { id: `V${++acts}`, callback: 'share', metadata: '', values: {}, ...view },
});

async function submit(who: FakePerson, view: Partial<Plain>) {
  await rig.interactions.act(submitted(who, view), rig.installed);
  await rig.settled();
}

const everything = () =>
  JSON.stringify(rig.slack.log.calls.map(({ args }) => args)) + JSON.stringify(rig.intakes);

/** Makes a private answer for the asker, in a room of which the thief is a member too. */
async function secretOfAsker(): Promise<ReplyRef> {
  const thread = privateThread(rig.installed.tenant, rig.room.id, rig.asker.id, '1.2');
  rig.replies.set(TURN, documentOf({ text: CANARY, question: CANARY, sources: [source] }));
  rig.stands.set(TURN, thread);
  const places = createPrivatePlaces(memoryKeyed(rig.secrets));
  await places.keep(thread, { user: rig.asker.id });
  return { turn: TURN, question: `${rig.room.id}/1.2`, room: rig.room.id, key: thread.key, kind: 'direct' };
}

const KINDS = ['stop', 'retry', 'regenerate', 'show', 'suggestion', 'agent', 'feedback', 'sources', 'share'];

test.each([
  ...KINDS,
  'mine',
])('S17: pressing %s on another person’s private answer has no effect and reveals nothing', async (kind) => {
  const secret = await secretOfAsker();
  const before = [...rig.secrets];
  for (const place of [rig.room.id, thief.dm().id]) {
    await press(thief, `reply:${kind}`, actionValue(secret, kind === 'agent' ? 'ledger' : '1'), place);
  }
  expect(rig.intakes).toEqual([]);
  expect(everything()).not.toContain(CANARY);
  expect([...rig.secrets]).toEqual(before);
});

test('S17: a private answer continues for its own person, even if another person pressed its button', async () => {
  const secret = await secretOfAsker();
  await press(thief, 'reply:regenerate', actionValue(secret));
  const places = createPrivatePlaces(memoryKeyed(rig.secrets));
  expect(await places.find({ channel: 'slack', tenant: rig.installed.tenant, ...secret })).toMatchObject({
    user: rig.asker.id,
  });
});

test('a private answer is shared in its room only while its person is a member there', async () => {
  const metadata = actionValue(await secretOfAsker());
  const answer = { metadata, values: { what: { what: { selected_option: { value: 'answer' } } } } };
  const shared = () =>
    rig.slack.messages(rig.room.id).filter(({ app, onlyFor }) => app && onlyFor === undefined).length;
  rig.room.members.delete(rig.asker.id);
  await submit(rig.asker, answer);
  expect(shared()).toBe(0);
  rig.room.members.add(rig.asker.id);
  await submit(rig.asker, answer);
  expect(shared()).toBe(1);
});

test('S17: a form whose private_metadata names another person’s private answer shares and shows nothing', async () => {
  const metadata = actionValue(await secretOfAsker(), '0');
  for (const value of ['answer', '1']) {
    await submit(thief, { metadata, values: { what: { what: { selected_option: { value } } } } });
  }
  await submit(thief, {
    callback: 'feedback',
    metadata,
    values: { note: { note: { value: 'not mine to judge' } } },
  });
  for (const id of ['sources:page:next', 'sources:share:1']) await pressInForm(thief, id, metadata);
  expect(everything()).not.toContain(CANARY);
  expect(rig.intakes).toEqual([]);
});

async function pressInForm(who: FakePerson, id: string, value: string) {
  acts += 1;
  const view = { id: 'V1', callback: 'sources', metadata: value, values: {} };
  const action = { id, value, ts: `1793491300.${acts}` };
  const by = { user: who.id, trigger: '1.2.3' };
  await rig.interactions.act({ kind: 'pressed', by, action, view }, rig.installed);
  await rig.settled();
}

test('S16: a value that names another room or thread finds no answer there', async () => {
  const { question } = await rig.answered({ sources: [source] });
  const elsewhere = rig.workspace.channel({ name: 'elsewhere', members: [thief.id] });
  const own = { turn: TURN, question: 'x', kind: 'room' } as const;
  const moved: readonly ReplyRef[] = [
    { ...own, room: elsewhere.id, key: question.ts },
    { ...own, room: elsewhere.id, key: '1793491200.000900' },
    { ...own, room: rig.room.id, key: '1793491200.000900' },
  ];
  for (const reply of moved) {
    const values = { what: { what: { selected_option: { value: '1' } } } };
    await submit(thief, { metadata: actionValue(reply), values });
    await pressInForm(thief, 'sources:page:next', actionValue(reply, '0'));
    await press(thief, 'reply:sources', actionValue(reply), reply.room);
  }
  const posted = rig.slack.log.calls.filter(({ method }) => method === 'chat.postMessage');
  expect(JSON.stringify(posted.slice(1).map(({ args }) => args))).not.toContain(CANARY);
  expect(
    JSON.stringify(rig.slack.log.calls.filter(({ method }) => method.startsWith('views.'))),
  ).not.toContain(CANARY);
});

test('S16: a press passes its own thread to the bridge, which checks the turn’s owner', async () => {
  const { question, reply } = await rig.answered();
  for (const kind of ['show', 'feedback', 'stop']) {
    const ref = { turn: TURN, question: 'x', room: rig.room.id, key: question.ts, kind: 'room' } as const;
    await press(
      rig.asker,
      `reply:${kind}`,
      actionValue(ref, kind === 'feedback' ? 'up' : '1'),
      reply.channel,
    );
  }
  expect(rig.intakes.map((event) => 'thread' in event && event.thread)).toEqual(
    Array(3).fill({
      channel: 'slack',
      tenant: rig.installed.tenant,
      room: rig.room.id,
      key: question.ts,
      kind: 'room',
    }),
  );
});

test.each([
  '',
  ' ',
  'x',
  'turn room C1 1.2 /1.2 ',
  'turn admin C1 1.2 /1.2 up',
  `${'0'.repeat(36)} room ../.. 1.2 /1.2 9`,
  `${TURN} direct C1 private- /1.2 1`,
  `${TURN} direct C1 private-U /1.2 1`,
  `${TURN} room C1 __proto__ constructor 1e999`,
  '\u0000'.repeat(2_000),
  '𝒳'.repeat(1_000),
])('S16: invented value %# has no effect', async (value) => {
  rig.replies.set(TURN, documentOf({ text: CANARY, sources: [source] }));
  for (const kind of KINDS) await press(thief, `reply:${kind}`, value);
  await submit(thief, {
    metadata: value,
    values: { what: { what: { selected_option: { value: 'answer' } } } },
  });
  expect(rig.intakes).toEqual([]);
  expect(everything()).not.toContain(CANARY);
});

test.each([
  '-1',
  '0',
  '1.5',
  '1e999',
  'NaN',
  '__proto__',
  '9007199254740993',
  '',
])('S17: a version arrow with the value %j requests no version', async (edition) => {
  const { question, reply } = await rig.answered();
  const ref = { turn: TURN, question: 'x', room: rig.room.id, key: question.ts, kind: 'room' } as const;
  await press(rig.asker, 'reply:show', actionValue(ref, edition), reply.channel);
  expect(rig.intakes).toEqual([]);
});

test('S17: a form about a message that another person opened is not found by its key', async () => {
  const about = rig.asker.says(rig.room, CANARY);
  rig.asker.uses('ask_about', about);
  await rig.settled();
  const metadata = String(rig.asker.views().at(-1)?.view.private_metadata);
  const values = { question: { question: { value: 'What did they say?' } } };
  await submit(thief, { callback: 'ask', metadata, values });
  expect(JSON.stringify(rig.intakes)).not.toContain(CANARY);
  await submit(rig.asker, { callback: 'ask', metadata, values });
  expect(JSON.stringify(rig.intakes)).toContain(CANARY);
});

test('S13: a form that is sent twice with the same signature posts and asks once', async () => {
  const { question } = await rig.answered({ sources: [source] });
  const ref = { turn: TURN, question: 'x', room: rig.room.id, key: question.ts, kind: 'room' } as const;
  const values = { what: { what: { selected_option: { value: '1' } } } };
  const sharing = submitted(rig.asker, { metadata: actionValue(ref), values });
  const asking = submitted(rig.asker, {
    callback: 'ask',
    values: { question: { question: { value: 'What now?' } } },
  });
  const before = rig.slack.log.calls.length;
  for (const act of [sharing, sharing, asking, asking]) await rig.interactions.act(act, rig.installed);
  await rig.settled();
  const posts = rig.slack.log.calls.slice(before).filter(({ method }) => method === 'chat.postMessage');
  expect(posts).toHaveLength(2);
  expect(rig.intakes).toHaveLength(1);
});

test.each([
  ['a guest', { guest: 'single-channel' }],
  ['a guest of more channels', { guest: 'multi-channel' }],
  ['somebody of another organization', { team: 'T0STRANGER' }],
] as const)('S18: %s is refused visibly at every surface, and no handler runs', async (_, options) => {
  const stranger = rig.workspace.person({ name: 'stranger', ...options });
  rig.room.members.add(stranger.id);
  const { question, reply } = await rig.answered({ sources: [source] });
  const ref = { turn: TURN, question: 'x', room: rig.room.id, key: question.ts, kind: 'room' } as const;
  const shown = rig.slack.log.calls.length;
  for (const kind of [...KINDS, 'mine']) {
    if (kind === 'sources' || kind === 'share') continue;
    await press(
      stranger,
      `reply:${kind}`,
      actionValue(ref, kind === 'agent' ? 'ledger' : '1'),
      reply.channel,
    );
    expect(rig.told(stranger), kind).toMatch(/^Guests and people from other organizations/);
  }
  stranger.presses(reply, 'reply:sources');
  stranger.opensHome();
  stranger.uses('ask_anywhere');
  await rig.settled();
  const values = { what: { what: { selected_option: { value: '1' } } } };
  await submit(stranger, { metadata: actionValue(ref), values });
  await submit(stranger, { callback: 'ask', values: { question: { question: { value: 'What now?' } } } });
  expect(rig.intakes).toEqual([]);
  expect(JSON.stringify(rig.slack.log.calls.slice(shown).map(({ args }) => args))).not.toContain(CANARY);
});
