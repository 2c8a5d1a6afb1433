import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageView, ThreadPage } from '../../../adapters/console/wire.ts';
import { agentName } from '../../../src/kit/ladder.ts';
import { turnId } from '../../../src/kit.ts';
import { documentOf, follow, json, openRig, type Rig, show, turnOf } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const threadOf = async (root: MessageView) =>
  (await rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`)).messages;
async function answered(text = '@knowledge hi') {
  const root = await rig.say('general', { text });
  const turn = turnOf(rig.host.taken.at(-1), 't1');
  const done = await show(rig, turn, [documentOf(turn, { state: 'done', text: 'Hello' })]);
  return { root, turn: done };
}
const edit = (id: string, text: string, as = 'engineer') =>
  rig.call(`/console/messages/${id}/edit`, json({ as, text }));
const remove = (id: string, as = 'engineer') => rig.call(`/console/messages/${id}/delete`, json({ as }));

describe('an edited message', () => {
  it('is shown with its new text, and asked as a newer revision', async () => {
    const { root } = await answered();
    const seen = (await (await edit(root.id, '@knowledge hello')).json()) as MessageView;
    expect(seen).toMatchObject({ id: root.id, text: '@knowledge hello', edited: true });
    expect(rig.host.taken.at(-1)).toMatchObject({
      kind: 'edit',
      fresh: true,
      message: { id: root.id, text: 'hello', revision: 1 },
    });
    await edit(root.id, '@knowledge hey');
    expect(rig.host.taken.at(-1)).toMatchObject({ message: { text: 'hey', revision: 2 } });
  });

  it('is answered in the same reply, whether that was shown or waiting', async () => {
    const { root, turn } = await answered();
    await edit(root.id, '@knowledge hello');
    const next = { ...turn, id: turnId('t2'), reply: turn.id };
    await show(rig, next, [documentOf(next, { state: 'done', text: 'Again' })]);
    expect((await threadOf(root)).flatMap(({ reply }) => reply?.text ?? [])).toEqual(['Again']);
    const other = await rig.say('general', { text: '@knowledge wait' });
    const waits = turnOf(rig.host.taken.at(-1), 'w1');
    const second = { ...waits, id: turnId('w2'), reply: waits.id };
    const third = { ...waits, id: turnId('w3'), reply: waits.id };
    await rig.adapter.abilities.waiting?.say(waits, 1);
    await rig.adapter.abilities.waiting?.say(second, 1);
    await show(rig, third, [documentOf(third, { state: 'done', text: 'At last' })]);
    expect((await threadOf(other)).flatMap(({ reply }) => reply?.text ?? [])).toEqual(['At last']);
  });

  it('changes nothing if the text is the same or another person edits it', async () => {
    const { root } = await answered();
    await edit(root.id, '@knowledge hi');
    expect((await edit(root.id, 'mine now', 'manager')).status).toBe(403);
    expect((await edit(root.id, '  ')).status).toBe(400);
    expect((await edit('nowhere', 'x')).status).toBe(404);
    expect(rig.host.taken).toHaveLength(1);
  });

  it('is offered again after a crash before the bridge accepted it', async () => {
    const { root } = await answered();
    rig.host.answer = () => Promise.reject(new Error('the store is down'));
    expect((await edit(root.id, '@knowledge hello')).status).toBe(500);
    rig = await rig.crash();
    expect(rig.host.taken).toMatchObject([{ kind: 'edit', message: { id: root.id, revision: 1 } }]);
  });
});

describe('an edit whose request is repeated', () => {
  it('is asked by the repetition if the first request could not ask it', async () => {
    const { root } = await answered();
    const { answer } = rig.host;
    rig.host.answer = () => Promise.reject(new Error('the store is down'));
    expect((await edit(root.id, '@knowledge hello')).status).toBe(500);
    rig.host.answer = answer;
    const taken = rig.host.taken.length;
    expect((await edit(root.id, '@knowledge hello')).status).toBe(200);
    expect((await edit(root.id, '@knowledge hello')).status).toBe(200);
    expect(rig.host.taken.slice(taken)).toMatchObject([
      { kind: 'edit', message: { id: root.id, revision: 1, text: 'hello' } },
    ]);
  });
});

describe('a deleted message', () => {
  it('is removed with its answers, and the bridge is told', async () => {
    const { root, turn } = await answered();
    const stream = await follow(rig);
    rig.host.answer = () => ({ kind: 'noted' });
    expect(await (await remove(root.id)).json()).toEqual({ done: true });
    expect(rig.host.taken.at(-1)).toMatchObject({ kind: 'delete', message: root.id, by: { id: 'engineer' } });
    expect(await threadOf(root)).toMatchObject([{ deleted: true, text: '' }, { reply: { text: 'Hello' } }]);
    const taking = { ...turn, id: turnId('t2'), reply: turn.id };
    const gone = await show(rig, taking, [documentOf(taking, { state: 'withdrawn', version: 2 })]);
    expect(gone.screen).toMatchObject({ parts: [], finished: true });
    expect((await rig.call(`/console/rooms/general/threads/${root.id}`)).status).toBe(404);
    await stream.until((event) => event.type === 'removed' && event.id === root.id);
    stream.close();
  });

  it('loses its waiting reply', async () => {
    const root = await rig.say('general', { text: '@knowledge wait' });
    const turn = turnOf(rig.host.taken.at(-1), 'w1');
    await rig.adapter.abilities.waiting?.say(turn, 1);
    await remove(root.id);
    await show(rig, turn, [documentOf(turn, { state: 'withdrawn' })]);
    expect((await rig.call(`/console/rooms/general/threads/${root.id}`)).status).toBe(404);
  });

  it('cannot be deleted by another person', async () => {
    const { root } = await answered();
    expect((await remove(root.id, 'manager')).status).toBe(403);
    expect(rig.host.taken).toHaveLength(1);
  });
});

it('shows that the question is asked again until the new answer has text', async () => {
  const { root, turn } = await answered();
  const second = { ...turn, id: turnId('t2'), reply: turn.id };
  const anew = documentOf(second, { meanwhile: 'Asking again…' });
  const shown = await show(rig, second, [anew]);
  expect((await threadOf(root))[1]?.reply).toMatchObject({ text: '', meanwhile: 'Asking again…' });
  await show(rig, shown, [{ ...anew, version: 2, state: 'writing', text: 'Words' }]);
  const reply = (await threadOf(root))[1]?.reply;
  expect(reply).toMatchObject({ turn: 't2', text: 'Words' });
  expect(reply).not.toHaveProperty('meanwhile');
});

describe('a press under an answer', () => {
  const post = (what: string, body: object) =>
    rig.post(`/console/replies/t1/${what}`, { as: 'designer', ...body });

  it('of Regenerate asks for one more version, and of an arrow shows another one', async () => {
    const { root, turn } = await answered();
    expect(await post('regenerate', {})).toEqual({ done: true });
    expect(rig.host.taken.at(-1)).toMatchObject({
      origin: { kind: 'regenerate', of: 't1', by: 'designer' },
      message: { id: root.id, text: 'hi', sender: { id: 'designer' } },
    });
    const second = { ...turn, id: turnId('t2'), reply: turn.id };
    const editions = { shown: 2, count: 2 };
    const done = await show(rig, second, [
      documentOf(second, { state: 'done', text: 'Second', editions, version: 2 }),
    ]);
    expect((await threadOf(root))[1]?.reply).toMatchObject({ turn: 't2', editions, text: 'Second' });
    const press = { as: 'designer', edition: 1, nonce: 'n' };
    expect(await rig.post('/console/replies/t2/show', press)).toEqual({ done: true });
    expect(rig.host.taken.at(-1)).toMatchObject({ kind: 'show', turn: 't2', edition: 1 });
    const showing = { ...done, id: turnId('t3') };
    await show(rig, showing, [
      documentOf(turn, { state: 'done', text: 'Hello', version: 9, editions: { shown: 1, count: 2 } }),
    ]);
    const messages = await threadOf(root);
    expect(messages).toHaveLength(2);
    expect(messages[1]?.reply).toMatchObject({ turn: 't1', text: 'Hello', editions: { shown: 1, count: 2 } });
    rig.host.answer = () => ({ kind: 'refused', tellUser: 'Too old.' });
    expect(await post('show', { edition: 2, nonce: 'm' })).toEqual({ done: false, reason: 'Too old.' });
    expect(
      (await rig.call('/console/replies/t1/show', json({ as: 'designer', edition: 0, nonce: 'x' }))).status,
    ).toBe(400);
  });

  it('of “Ask another agent” asks that agent the question, in a new reply', async () => {
    const { root } = await answered();
    expect(await post('ask', { agent: 'vision', nonce: 'n' })).toEqual({ done: true });
    const event = rig.host.taken.at(-1);
    expect(event).toMatchObject({
      origin: { kind: 'act', of: 't1' },
      message: { id: root.id, agent: 'vision', text: 'hi' },
    });
    const turn = turnOf(event, 't9');
    const document = documentOf(turn, { agent: agentName('vision'), state: 'done', text: 'I see' });
    await show(rig, turn, [document]);
    expect((await threadOf(root)).flatMap(({ reply }) => reply?.text ?? [])).toEqual(['Hello', 'I see']);
    expect(await post('ask', { agent: 'nobody', nonce: 'm' })).toMatchObject({
      done: false,
      reason: expect.stringContaining('That agent is no longer available'),
    });
  });

  it('of a suggestion asks its agent, in a message of the person', async () => {
    const root = await rig.say('general', { text: '@vision hi' });
    const turn = turnOf(rig.host.taken.at(-1), 't1');
    const suggestions = ['Ben, and at night?'];
    const document = documentOf(turn, { agent: agentName('vision'), state: 'done', text: 'Hi', suggestions });
    await show(rig, turn, [document]);
    const said = await post('suggest', { text: suggestions[0], nonce: 'n' });
    expect(said).toMatchObject({ thread: root.id, text: suggestions[0], author: { id: 'designer' } });
    expect(rig.host.taken.at(-1)).toMatchObject({
      origin: { kind: 'message' },
      message: { text: suggestions[0], agent: 'vision', sender: { id: 'designer' } },
    });
    const never = json({ as: 'designer', text: 'Delete it.', nonce: 'm' });
    expect((await rig.call('/console/replies/t1/suggest', never)).status).toBe(403);
  });

  it('of “Ask as me” asks in the person’s direct conversation with the agent', async () => {
    await answered('@knowledge what do I earn?');
    const asked = await post('ask-me', { nonce: 'n' });
    expect(asked).toMatchObject({ room: 'direct~designer~knowledge', text: 'what do I earn?' });
    expect(rig.host.taken.at(-1)).toMatchObject({
      origin: { kind: 'message' },
      message: { thread: { kind: 'direct' }, sender: { id: 'designer' } },
    });
  });

  it('of a thumb is stored by person and version, and can be withdrawn', async () => {
    const { root } = await answered();
    rig.host.answer = () => ({ kind: 'noted' });
    const thumbs = async () => (await threadOf(root))[1]?.reply?.thumbs;
    await post('feedback', { verdict: 'down', note: 'It is three.' });
    expect(rig.host.taken.at(-1)).toMatchObject({
      kind: 'feedback',
      turn: 't1',
      verdict: 'down',
      note: 'It is three.',
    });
    await rig.post('/console/replies/t1/feedback', { as: 'manager', verdict: 'up' });
    expect(await thumbs()).toEqual({ designer: 'down', manager: 'up' });
    await post('feedback', { verdict: 'none' });
    expect(await thumbs()).toEqual({ manager: 'up' });
    rig.host.answer = () => ({ kind: 'nothing' });
    expect(await post('feedback', { verdict: 'up' })).toMatchObject({ done: false });
    const odd = json({ as: 'manager', verdict: 'sideways' });
    expect((await rig.call('/console/replies/t1/feedback', odd)).status).toBe(400);
  });
});
