/** Tests buttons, forms, commands and response URLs of the fake Slack. */

import { describe, expect, test } from 'vitest';
import { visibleText } from '../../fakes/slack/index.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { call, fakeSlack, smallApp } from './wire.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const modal = { type: 'modal', callback_id: 'ask', title: plain('Ask'), blocks: [] };
const answerAt = async (url: unknown, body: object) => {
  const answer = await fetch(String(url), { method: 'POST', body: JSON.stringify(body) });
  return `${answer.status} ${await answer.text()}`;
};

test('a command is a form; its response URL accepts five answers in thirty minutes', async () => {
  const clock = createVirtualClock();
  const fake = await fakeSlack({ clock });
  const workspace = fake.workspace();
  const person = workspace.person();
  const channel = workspace.channel();
  const { payload } = person.types(channel, '/ask guide What now?');
  expect(payload).toMatchObject({
    command: '/ask',
    text: 'guide What now?',
    user_id: person.id,
    channel_id: channel.id,
  });
  const say = (body: object) => answerAt(payload.response_url, body);
  expect(await say({ text: 'only you' })).toBe('200 ok');
  expect(await say({ text: 'everybody', response_type: 'in_channel' })).toBe('200 ok');
  expect(await say({ text: '' })).toBe('404 no_text');
  for (const text of ['3', '4']) await say({ text });
  expect(await say({ text: '6' })).toBe('404 used_url');
  expect(fake.messages(channel.id).map(({ text, onlyFor }) => [text, onlyFor])).toEqual([
    ['only you', person.id],
    ['everybody', undefined],
    ['3', person.id],
    ['4', person.id],
  ]);
  const later = person.types(channel, '/ask again').payload.response_url;
  await clock.pass(1_800_001);
  expect(await answerAt(later, { text: 'late' })).toBe('404 expired_url');
});

test('the response URL of a press replaces or deletes the message', async () => {
  const fake = await fakeSlack();
  const workspace = fake.workspace();
  const channel = workspace.channel();
  const person = workspace.person();
  const theirs = person.says(channel, 'theirs');
  const shortcut = person.uses('ask_anywhere', theirs).payload;
  expect(shortcut).toMatchObject({
    type: 'message_action',
    message_ts: theirs.ts,
    callback_id: 'ask_anywhere',
  });
  await answerAt(shortcut.response_url, { delete_original: true });
  const blocks = [{ type: 'actions', elements: [{ type: 'button', text: plain('Go'), action_id: 'go' }] }];
  await call(fake, 'chat.postMessage', { channel: channel.id, text: 'original', blocks });
  const message = fake.messages(channel.id).at(-1);
  if (message === undefined) throw new Error('nothing was posted');
  const { payload } = person.presses(message, 'go');
  await answerAt(payload.response_url, { replace_original: true, text: 'replaced' });
  expect(fake.messages(channel.id).map(visibleText)).toEqual(['theirs', 'replaced']);
  await answerAt(payload.response_url, { delete_original: true });
  expect(fake.messages(channel.id).map(visibleText)).toEqual(['theirs']);
});

describe('a modal', () => {
  test('opens by a trigger id once, within three seconds', async () => {
    const clock = createVirtualClock();
    const fake = await fakeSlack({ clock });
    const person = fake.workspace().person();
    const open = (trigger: unknown) => call(fake, 'views.open', { trigger_id: trigger, view: modal });
    const { trigger_id: trigger } = person.uses('ask_anywhere').payload;
    expect((await open(trigger)).ok).toBe(true);
    expect((await open(trigger)).error).toBe('exchanged_trigger_id');
    expect((await open('1.2.3')).error).toBe('invalid_trigger_id');
    const { trigger_id: late } = person.uses('ask_anywhere').payload;
    await clock.pass(3_001);
    expect((await open(late)).error).toBe('expired_trigger_id');
  });

  test('is sent, answered and closed', async () => {
    const app = await smallApp();
    const fake = await fakeSlack({ deliverTo: app.url });
    const person = fake.workspace().person();
    await call(fake, 'views.open', {
      trigger_id: person.uses('ask_anywhere').payload.trigger_id,
      view: modal,
    });
    const [view] = person.views();
    if (view === undefined) throw new Error('nothing opened');
    app.reply = JSON.stringify({ response_action: 'errors', errors: { a: 'no' } });
    await person.submits(view, { b: { a: { type: 'plain_text_input', value: 'x' } } });
    expect(person.views().length).toBe(1);
    app.reply = JSON.stringify({ response_action: 'push', view: modal });
    await person.submits(view);
    expect(person.views().length).toBe(2);
    app.reply = JSON.stringify({ response_action: 'clear' });
    const delivery = await person.submits(view);
    expect(delivery.payload).toMatchObject({
      type: 'view_submission',
      view: { callback_id: 'ask', id: view.id },
    });
    expect(person.views()).toEqual([]);
  });

  test('is pushed up to three deep, and updated by its hash', async () => {
    const fake = await fakeSlack();
    const person = fake.workspace().person();
    const button = {
      type: 'actions',
      elements: [{ type: 'button', text: plain('More'), action_id: 'more' }],
    };
    const deep = { ...modal, blocks: [button] };
    await call(fake, 'views.open', {
      trigger_id: person.uses('ask_anywhere').payload.trigger_id,
      view: deep,
    });
    const push = () => {
      const view = person.views().at(-1);
      const trigger = view === undefined ? '' : person.presses(view, 'more').payload.trigger_id;
      return call(fake, 'views.push', { trigger_id: trigger, view: deep });
    };
    expect([(await push()).ok, (await push()).ok, (await push()).error]).toEqual([
      true,
      true,
      'push_limit_reached',
    ]);
    const top = person.views().at(-1);
    const update = (hash: string) => call(fake, 'views.update', { view_id: top?.id, hash, view: deep });
    expect((await update('wrong')).error).toBe('hash_conflict');
    expect((await update(top?.hash ?? '')).ok).toBe(true);
    expect((await call(fake, 'views.update', { view_id: 'V0', view: deep })).error).toBe('not_found');
  });
});

test('the Home tab is published for a person', async () => {
  const fake = await fakeSlack();
  const person = fake.workspace().person();
  const view = { type: 'home', blocks: [{ type: 'header', text: plain('Agents') }] };
  expect((await call(fake, 'views.publish', { user_id: person.id, view })).ok).toBe(true);
  expect(person.home()?.view).toMatchObject(view);
  expect((await call(fake, 'views.publish', { user_id: 'U0NOBODY', view })).error).toBe('user_not_found');
});

test('a session has a status and a title; the next post clears the older status line', async () => {
  const fake = await fakeSlack();
  const workspace = fake.workspace();
  const channel = workspace.channel();
  const { ts } = workspace.person().mentions(channel, 'What now?');
  const place = { channel_id: channel.id, thread_ts: ts };
  expect((await call(fake, 'agents.sessions.rename', { ...place, title: 'x' })).error).toBe('not_authorized');
  expect((await call(fake, 'agents.sessions.setStatus', { ...place, status: 'thinking' })).error).toBe(
    'invalid_arguments',
  );
  expect((await call(fake, 'agents.sessions.setStatus', { ...place, status: 'processing' })).ok).toBe(true);
  expect((await call(fake, 'agents.sessions.rename', { ...place, title: 'x'.repeat(201) })).error).toBe(
    'invalid_arguments',
  );
  expect((await call(fake, 'agents.sessions.rename', { ...place, title: 'Title' })).ok).toBe(true);
  expect((await call(fake, 'assistant.threads.setStatus', { ...place, status: 'is thinking…' })).ok).toBe(
    true,
  );
  await call(fake, 'chat.postMessage', { channel: channel.id, thread_ts: ts, text: 'Done' });
  const [session] = workspace.state.sessions.values();
  const [line] = workspace.state.statusLines.values();
  expect(session).toMatchObject({ status: 'processing', title: 'Title' });
  expect(line?.changes.map(({ status }) => status)).toEqual(['is thinking…', '']);
  const started = await call(fake, 'chat.startStream', {
    channel: channel.id,
    thread_ts: ts,
    markdown_text: 'x',
    recipient_user_id: fake.messages(channel.id)[0]?.user,
    recipient_team_id: workspace.id,
  });
  await call(fake, 'chat.stopStream', { channel: channel.id, ts: started.ts, session_status: 'active' });
  expect(session?.status).toBe('active');
});

test('the older status line disappears after two minutes', async () => {
  const clock = createVirtualClock();
  const fake = await fakeSlack({ clock });
  const workspace = fake.workspace();
  const channel = workspace.channel();
  const { ts } = workspace.person().mentions(channel, 'What now?');
  const args = { channel_id: channel.id, thread_ts: ts, status: 'is thinking…' };
  const messages = Array.from({ length: 10 }, () => 'x');
  const more = await call(fake, 'assistant.threads.setStatus', {
    ...args,
    loading_messages: [...messages, 'x'],
  });
  expect(more.error).toBe('invalid_arguments');
  await call(fake, 'assistant.threads.setStatus', { ...args, loading_messages: messages });
  await clock.pass(119_999);
  expect(fake.status(channel.id, ts)).toEqual({ line: 'is thinking…', session: undefined });
  await clock.pass(1);
  expect(fake.status(channel.id, ts).line).toBe(undefined);
});

test('the direct message accepts up to four prompts', async () => {
  const fake = await fakeSlack();
  const person = fake.workspace().person();
  const set = (count: number, channel = person.dm().id) =>
    call(fake, 'assistant.threads.setSuggestedPrompts', {
      channel_id: channel,
      prompts: Array.from({ length: count }, () => ({ title: 'x', message: 'y' })),
    });
  expect((await set(4)).ok).toBe(true);
  expect((await set(5)).error).toBe('invalid_arguments');
});

test('menus with options of the app, closed forms and global shortcuts are delivered', async () => {
  const app = await smallApp();
  const fake = await fakeSlack({ deliverTo: app.url });
  const person = fake.workspace().person();
  app.reply = JSON.stringify({ options: [] });
  const search = person.searches('agent', 'gui');
  expect((await search.done)?.body).toBe('{"options":[]}');
  expect(search.payload).toMatchObject({ type: 'block_suggestion', action_id: 'agent', value: 'gui' });
  const shortcut = person.uses('ask_anywhere').payload;
  expect(shortcut).toMatchObject({ type: 'shortcut', callback_id: 'ask_anywhere' });
  await call(fake, 'views.open', {
    trigger_id: shortcut.trigger_id,
    view: { ...modal, notify_on_close: true },
  });
  const [view] = person.views();
  if (view === undefined) throw new Error('nothing opened');
  expect(person.closes(view).payload).toMatchObject({
    type: 'view_closed',
    view: { id: view.id },
    is_cleared: false,
  });
  expect(person.views()).toEqual([]);
});
