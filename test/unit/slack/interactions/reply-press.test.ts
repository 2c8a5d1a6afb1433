import { afterEach, beforeEach, expect, it } from 'vitest';
import { actionId, actionValue, menuId } from '../../../../adapters/slack/render/actions.ts';
import { turn } from '../../../fakes/samples.ts';
import type { Press } from '../../../fakes/slack/interact/acts.ts';
import { controlOf } from '../controls.ts';
import { buttonOf, openRig, type Rig, TURN } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const press = async (where: Parameters<typeof rig.asker.presses>[0], kind: string, over: object = {}) => {
  const blocks = 'ts' in where ? where.blocks : where.view.blocks;
  const control = controlOf(blocks, kind);
  if (control === undefined) throw new Error(`There is no ${kind} in ${JSON.stringify(blocks)}`);
  const delivery = rig.asker.presses(where, { ...control, ...over });
  await rig.settled();
  return delivery;
};

it('stops the reply of the button, and acknowledges without content', async () => {
  const { reply } = await rig.answered({ state: 'writing' });
  rig.keeps = () => ({ kind: 'stopped' });
  const delivery = await press(reply, 'reply:stop');
  expect(rig.intakes).toMatchObject([
    { kind: 'stop', turn: TURN, by: { id: rig.asker.id, standing: 'member' } },
  ]);
  expect(delivery.attempts).toMatchObject([{ status: 200, body: '' }]);
  expect(rig.told()).toBeUndefined();
});

it('says that a reply had already ended when Stop was pressed', async () => {
  const { reply } = await rig.answered({ state: 'writing' });
  rig.keeps = () => ({ kind: 'nothing-to-stop' });
  await press(reply, 'reply:stop');
  expect(rig.told()).toBe('This answer has already ended.');
});

it('asks again with the question’s current text in the channel, as the person who pressed', async () => {
  const { question, reply } = await rig.answered({ retry: true });
  rig.asker.edits(question, `<@${rig.workspace.botUser}> Which colour is it really?`);
  const other = rig.workspace.person({ name: 'jo' });
  rig.room.members.add(other.id);
  other.presses(reply, buttonOf(reply.blocks, 'reply:retry'));
  await rig.settled();
  await press(reply, 'reply:regenerate');
  expect(rig.intakes).toMatchObject([
    {
      origin: { kind: 'retry', of: TURN, by: other.id },
      message: {
        id: `${rig.room.id}/${question.ts}`,
        text: 'Which colour is it really?',
        sender: { id: other.id, name: 'jo' },
        thread: { room: rig.room.id, key: question.ts, kind: 'room' },
      },
    },
    {
      origin: { kind: 'regenerate', of: TURN, by: rig.asker.id },
      message: { text: 'Which colour is it really?' },
    },
  ]);
});

it('leaves the question to the bridge if the channel no longer has it', async () => {
  const { question, reply } = await rig.answered({ retry: true });
  rig.asker.deletes(question);
  await press(reply, 'reply:retry');
  expect(rig.intakes).toMatchObject([
    { origin: { kind: 'retry' }, message: { text: '', id: `${rig.room.id}/${question.ts}` } },
  ]);
});

it('says in one sentence why a question could not be asked again', async () => {
  const { reply } = await rig.answered({ retry: true });
  rig.keeps = () => ({ kind: 'refused', tellUser: 'Please ask the question again.' });
  await press(reply, 'reply:retry');
  expect(rig.told()).toBe('Please ask the question again.');
  rig.keeps = () => {
    throw new Error('the store is down');
  };
  await press(reply, 'reply:retry');
  expect(rig.told()).toMatch(/^That did not work/);
});

it('shows another version', async () => {
  const { reply } = await rig.answered({ editions: { shown: 2, count: 3 } });
  await press(reply, 'reply:show');
  expect(rig.intakes).toMatchObject([{ kind: 'show', turn: TURN, edition: 1, by: { id: rig.asker.id } }]);
});

it('asks a suggestion as the person who pressed, with the question above the answer', async () => {
  const { question, reply } = await rig.answered({ suggestions: ['And <@U0OTHER> in *winter*?', 'Why?'] });
  await press(reply, 'reply:suggestion');
  const [asked] = rig.intakes;
  expect(asked).toMatchObject({
    kind: 'ask',
    origin: { kind: 'act' },
    message: { text: 'And <@U0OTHER> in *winter*?', agent: 'guide', thread: { key: question.ts } },
  });
  const [, , act] = rig.slack.thread(rig.room.id, question.ts);
  expect(act?.text).toBe(`<@${rig.asker.id}> asks: And &lt;@U0OTHER&gt; in *winter*?`);
  if (asked?.kind === 'ask') expect(await rig.completed(asked.message)).toEqual(asked.message);
});

it('delays the answer until the question is posted above it', async () => {
  const { question, reply } = await rig.answered({ suggestions: ['Why?'] });
  rig.slack.plant({ kind: 'slow', method: 'chat.postMessage', ms: 200 });
  const { done } = rig.asker.presses(reply, buttonOf(reply.blocks, 'reply:suggestion'));
  await done;
  const [asked] = rig.intakes;
  if (asked?.kind !== 'ask') throw new Error('nothing was asked');
  const { signal } = new AbortController();
  await rig.interactions.events.before?.(turn({ message: asked.message }), signal);
  expect(rig.slack.thread(rig.room.id, question.ts).at(-1)?.text).toMatch(/asks: Why\?$/);
});

it('accepts the same press once', async () => {
  const { question, reply } = await rig.answered({ suggestions: ['Why?'] });
  await press(reply, 'reply:suggestion');
  rig.keeps = ({ kind }) => (kind === 'ask' ? { kind: 'duplicate', turn: TURN } : { kind: 'nothing' });
  await press(reply, 'reply:suggestion');
  expect(rig.slack.thread(rig.room.id, question.ts)).toHaveLength(3);
});

it('asks another agent the same question', async () => {
  const { question, reply } = await rig.answered();
  await press(reply, 'reply:agent');
  expect(rig.intakes).toMatchObject([
    { origin: { kind: 'act', of: TURN }, message: { agent: 'ledger', text: 'Which colour is it?' } },
  ]);
  const said = rig.slack.thread(rig.room.id, question.ts).at(-1)?.text;
  expect(said).toMatch(`<@${rig.asker.id}> asks ledger the same question.`);
});

it('accepts presses on the buttons and selects of an earlier version of Parley', async () => {
  const { question, reply } = await rig.answered({ editions: { shown: 2, count: 2 } });
  const ref = { turn: TURN, question: `${rig.room.id}/${question.ts}`, room: rig.room.id, key: question.ts };
  const named = { ...ref, kind: 'room' } as const;
  const older: readonly (readonly [string, Omit<Press, 'actionId'>])[] = [
    [actionId('regenerate'), { value: actionValue(named) }],
    [actionId('show', 0), { value: actionValue(named, '1') }],
    [actionId('mine'), { value: actionValue(named) }],
    [menuId('agent', named), { option: { value: 'ledger' } }],
  ];
  for (const [id, said] of older) {
    const element = { type: 'button', action_id: id };
    rig.asker.presses(
      { ...reply, blocks: [{ type: 'actions', elements: [element] }] },
      { actionId: id, ...said },
    );
    await rig.settled();
  }
  expect(rig.intakes).toMatchObject([
    { kind: 'ask', origin: { kind: 'regenerate' } },
    { kind: 'show', edition: 1 },
    { kind: 'ask', message: { thread: { kind: 'direct' } } },
    { kind: 'ask', message: { agent: 'ledger' } },
  ]);
});

it('answers "Ask as me" for the asker alone', async () => {
  const { question, reply } = await rig.answered();
  await press(reply, 'reply:mine');
  const [asked] = rig.intakes;
  expect(asked).toMatchObject({
    origin: { kind: 'act', of: TURN },
    message: { thread: { kind: 'direct', room: rig.room.id }, agent: 'guide', text: 'Which colour is it?' },
  });
  expect(JSON.stringify([...rig.secrets])).toContain('/response/');
  expect(rig.slack.thread(rig.room.id, question.ts)).toHaveLength(2);
});

it('refuses a press from another place, an unreadable press, and a press by a person who may not ask', async () => {
  const { reply } = await rig.answered({ retry: true });
  const elsewhere = rig.workspace.channel({ name: 'elsewhere', members: [rig.asker.id] });
  await press({ ...reply, channel: elsewhere.id }, 'reply:retry');
  expect(rig.told()).toMatch(/^This button belongs to an answer in another conversation/);
  await press(reply, 'reply:retry', { value: 'written by an older version' });
  expect(rig.told()).toMatch(/^This answer is too old/);
  const guest = rig.workspace.person({ name: 'guest', guest: 'multi-channel' });
  const stranger = rig.workspace.person({ name: 'stranger', team: 'T0OTHER' });
  for (const person of [guest, stranger]) {
    rig.room.members.add(person.id);
    person.presses(reply, buttonOf(reply.blocks, 'reply:retry'));
    await rig.settled();
    expect(rig.told(person)).toMatch(/^Guests and people from other organizations/);
  }
  expect(rig.intakes).toEqual([]);
});

it('tells the person even if the app was removed from the channel meanwhile', async () => {
  const { reply } = await rig.answered({ retry: true });
  rig.keeps = () => ({ kind: 'refused', tellUser: 'Not now.' });
  rig.room.members.delete(rig.workspace.botUser);
  await press(reply, 'reply:retry');
  expect(rig.told()).toBe('Not now.');
  const notes = rig.slack.messages(rig.room.id).filter(({ onlyFor }) => onlyFor === rig.asker.id);
  expect(notes.at(-1)?.threadTs).toBe(reply.threadTs);
});

it('stores thumbs at once, and asks after a thumbs-down what was wrong', async () => {
  const { reply } = await rig.answered();
  const value = (verdict: string) =>
    JSON.stringify(reply.blocks).match(new RegExp(`"value":"([^"]* ${verdict})"`))?.[1];
  await press(reply, 'reply:feedback', { value: value('up') });
  expect(rig.told()).toMatch(/^Thank you/);
  await press(reply, 'reply:feedback', { value: value('down') });
  const [form] = rig.asker.views();
  if (form === undefined) throw new Error('no form');
  expect(JSON.stringify(form)).toContain('Your thumbs-down counts even if you close this form.');
  await rig.asker.submits(form, {
    reasons: {
      reasons: { type: 'checkboxes', selected_options: [{ value: 'Wrong' }, { value: '<!here>' }] },
    },
    note: { note: { type: 'plain_text_input', value: ' It is green. ' } },
  });
  await rig.settled();
  expect(rig.intakes).toMatchObject([
    { kind: 'feedback', turn: TURN, verdict: 'up' },
    { kind: 'feedback', turn: TURN, verdict: 'down' },
    { kind: 'feedback', turn: TURN, verdict: 'down', note: 'Wrong\nIt is green.', by: { id: rig.asker.id } },
  ]);
  expect(rig.asker.views()).toEqual([]);
});

it('acknowledges in time while Slack does not answer who pressed', async () => {
  const { reply } = await rig.answered({ retry: true });
  rig.slack.plant({ kind: 'slow', method: 'users.info', ms: 2_200 });
  const delivery = await press(reply, 'reply:retry');
  expect(delivery.attempts).toHaveLength(1);
  const asked = rig.slack.log.calls.findLast(({ method }) => method === 'users.info');
  const [{ at, ms } = { at: 0, ms: 0 }] = delivery.attempts;
  // The acknowledgement did not wait for Slack's response.
  expect(at + (ms ?? 0)).toBeLessThan(asked?.doneAt ?? Number.POSITIVE_INFINITY);
  expect(rig.intakes).toHaveLength(1);
});

it('says that an answer is too old for its buttons, instead of thanking', async () => {
  const { reply } = await rig.answered({ editions: { shown: 2, count: 2 } });
  rig.keeps = () => ({ kind: 'nothing' });
  const up = /"value":"([^"]* up)"/.exec(JSON.stringify(reply.blocks))?.[1];
  await press(reply, 'reply:feedback', { value: up });
  expect(rig.told()).toMatch(/^This answer is too old/);
  await press(reply, 'reply:show');
  expect(rig.told()).toMatch(/^This answer is too old/);
});

it('tells the person about an unexpected error', async () => {
  const { reply } = await rig.answered();
  rig.secrets.set = () => {
    throw new Error('the store is down');
  };
  const delivery = await press(reply, 'reply:mine');
  expect(delivery.attempts).toMatchObject([{ status: 200 }]);
  expect(rig.told()).toMatch(/^That did not work/);
  expect(rig.intakes).toEqual([]);
});
