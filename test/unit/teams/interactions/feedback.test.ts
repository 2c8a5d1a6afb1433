import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Conversation, FakePerson, FakeTenant } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';
import { answer, documentOf, TURN, turnOf, write } from './rig.ts';

let rig: Rig;
let tenant: FakeTenant;
let room: Conversation;
let asker: FakePerson;

beforeEach(async () => {
  rig = await startRig();
  rig.kept = () => ({ kind: 'noted' });
  tenant = rig.fake.tenant();
  room = tenant.team().channel();
  asker = tenant.person({ name: 'Engineer' });
});
afterEach(() => rig.close());

const opinions = () =>
  rig.taken.map((each) => (each.kind === 'feedback' ? [each.turn, each.verdict, each.note] : each.kind));

it('counts a thumb at once, and the form’s content afterwards', async () => {
  const { said: reply, thread } = await answer(rig, asker, room);
  const rated = asker.rates(reply, {
    reaction: 'dislike',
    inputs: { reasons: '0,3', note: ' Not at all. ' },
  });
  const form = JSON.stringify(await rated.form);
  expect(form).toContain('What was wrong?');
  expect(form).toContain('Your thumbs-down counts even if you close this form.');
  expect(await rated.answer).toEqual({});
  expect(opinions()).toEqual([
    [TURN, 'down', undefined],
    [TURN, 'down', 'Wrong, Not what I asked\nNot at all.'],
  ]);
  expect(rig.taken[0]).toMatchObject({ thread, by: { id: asker.aadObjectId } });
});

it('is requested by the first post of an answer that grows by edits, because edits add no thumbs', async () => {
  for (const place of [room, tenant.chat({ members: [asker] })]) {
    const heard = asker.mentions(place, 'Which colour is it?');
    await heard.delivery?.done;
    const asked = rig.taken.splice(0).at(-1);
    if (asked?.kind !== 'ask') throw new Error('the question was not taken in');
    const turn = turnOf(asked.message.thread, heard.message.id, asker);
    const done = documentOf();
    const before = rig.fake.messages(place).length;
    const search = { id: 's', name: 'Search', state: 'running' } as const;
    const thinking = { ...done, state: 'thinking', text: '', steps: [search], sources: [] } as const;
    await write(rig, turn, { ...thinking, version: 1 }, { ...done, version: 2 });
    const [said] = rig.fake.messages(place).slice(before);
    if (said === undefined) throw new Error('there is no reply');
    expect(said.history.length).toBeGreaterThan(0);
    await asker.rates(said, { reaction: 'like' }).answer;
    expect(opinions()).toEqual([[TURN, 'up', undefined]]);
    rig.taken.splice(0);
  }
});

it('accepts the shape in the types of microsoft/teams.ts too', async () => {
  const { said: reply } = await answer(rig, asker, room);
  const rated = asker.rates(reply, { reaction: 'dislike', wrapped: true });
  expect(JSON.stringify(await rated.form)).toContain('What was wrong?');
  expect(opinions()).toEqual([[TURN, 'down', undefined]]);
});

const likes = { actionName: 'feedback', actionValue: { reaction: 'like' } };
it.each([
  ['other names', { ...likes, data: { ...likes, actionName: 'other' } }],
  ['other reactions', { ...likes, data: { ...likes, actionValue: { reaction: 'dislike' } } }],
  ['another name beside', { actionName: 'other', data: likes }],
])('refuses a value whose two shapes have %s', async (_, value) => {
  const { said: reply } = await answer(rig, asker, room);
  const invoke = { type: 'invoke', name: 'message/fetchTask', id: 'f:1', replyToId: reply.id };
  expect((await asker.sends(room, { ...invoke, value }).done)?.status).toBe(501);
  expect(opinions()).toEqual([]);
});

it('accepts a changed verdict', async () => {
  const { said: reply } = await answer(rig, asker, room);
  await asker.rates(reply, { reaction: 'dislike' }).answer;
  await asker.rates(reply, { reaction: 'like' }).answer;
  expect(opinions()).toEqual([
    [TURN, 'down', undefined],
    [TURN, 'up', undefined],
  ]);
});

it('counts for the version that the message shows, also after a restart', async () => {
  const { said: reply, thread, root } = await answer(rig, asker, room);
  const second = documentOf({ turn: 'second' as typeof TURN, text: 'It is green.' });
  rig.taken.length = 0;
  await write(rig, { ...turnOf(thread, root, asker), id: second.turn }, second);
  const shown = rig.fake.messages(room).findLast((each) => each.shown.text !== '');
  await rig.restart();
  await asker.rates(reply, { reaction: 'like' }).answer;
  if (shown !== undefined) await asker.rates(shown, { reaction: 'dislike' }).answer;
  expect(opinions()).toEqual([
    [TURN, 'up', undefined],
    ['second', 'down', undefined],
  ]);
});

it.each([
  ['like', 'up'],
  ['heart', 'up'],
  ['sad', 'down'],
  ['angry', 'down'],
])('counts a reaction as feedback: %s is %s, and its removal is none', async (reaction, verdict) => {
  const { said: reply } = await answer(rig, asker, room);
  await asker.reacts(reply, reaction)?.done;
  await expect.poll(opinions).toEqual([[TURN, verdict, undefined]]);
  await asker.takesBack(reply, reaction)?.done;
  await expect.poll(opinions).toEqual([
    [TURN, verdict, undefined],
    [TURN, 'none', undefined],
  ]);
});

it('ignores a laugh, and thumbs of people from other organizations', async () => {
  const { said: reply } = await answer(rig, asker, room);
  await asker.reacts(reply, 'laugh')?.done;
  const guest = tenant.person({ role: 'guest' });
  guest.says(room, 'Hello', { silent: true });
  const rated = guest.rates(reply, { reaction: 'like', inputs: {} });
  expect(JSON.stringify(await rated.form)).toContain('Guests and people from other');
  expect(await rated.answer).toEqual({});
  expect(opinions()).toEqual([]);
});

it('responds to foreign feedback as to an unknown invoke', async () => {
  const { reply } = await answer(rig, asker, room);
  const sent = asker.sends(room, {
    ...{ type: 'invoke', name: 'message/submitAction', id: 'f:1', replyToId: reply.id },
    value: { actionName: 'other', actionValue: {} },
  });
  expect((await sent.done)?.status).toBe(501);
  expect(opinions()).toEqual([]);
});
