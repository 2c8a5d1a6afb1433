/** Tests streams of the fake Slack: who can see them, what they contain and how they end. */

import { describe, expect, test } from 'vitest';
import { type FakeSlackOptions, visibleText } from '../../fakes/slack/index.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { type Answer, call, fakeSlack } from './wire.ts';

async function stage(options: FakeSlackOptions = {}) {
  const clock = createVirtualClock();
  const fake = await fakeSlack({ clock, ...options });
  const workspace = fake.workspace();
  const person = workspace.person();
  const channel = workspace.channel();
  const root = person.mentions(channel, 'What now?');
  const recipient = { recipient_user_id: person.id, recipient_team_id: workspace.id };
  const start = (args: object = {}): Promise<Answer> =>
    call(fake, 'chat.startStream', { channel: channel.id, thread_ts: root.ts, ...recipient, ...args });
  const on = (method: string, ts: unknown, args: object): Promise<Answer> =>
    call(fake, method, { channel: channel.id, ts, ...args });
  return {
    clock,
    fake,
    workspace,
    person,
    channel,
    root,
    start,
    append: (ts: unknown, args: object) => on('chat.appendStream', ts, args),
    stop: (ts: unknown, args: object = {}) => on('chat.stopStream', ts, args),
    update: (ts: unknown, args: object) => on('chat.update', ts, args),
    shown: () => fake.thread(channel.id, root.ts).slice(1).map(visibleText),
  };
}

describe('a stream', () => {
  test('grows in place, and is a message once it stops', async () => {
    const { start, append, stop, update, shown } = await stage();
    const { ts } = await start({ markdown_text: 'One ' });
    await append(ts, { markdown_text: 'two' });
    expect(shown()).toEqual(['One two']);
    expect((await update(ts, { text: 'x' })).error).toBe('streaming_state_conflict');
    expect((await stop(ts, { markdown_text: '.' })).ok).toBe(true);
    expect((await append(ts, { markdown_text: 'x' })).error).toBe('message_not_in_streaming_state');
    expect((await update(ts, { text: 'Edited' })).ok).toBe(true);
    expect(shown()).toEqual(['Edited']);
  });

  test('outside the app’s direct message requires both recipient ids', async () => {
    const { fake, start, person } = await stage();
    expect((await start({ recipient_user_id: undefined })).error).toBe('missing_recipient_user_id');
    expect((await start({ recipient_team_id: undefined })).error).toBe('missing_recipient_team_id');
    const asked = person.says(person.dm(), 'Hello');
    const args = { channel: person.dm().id, thread_ts: asked.ts, markdown_text: 'Hi' };
    expect((await call(fake, 'chat.startStream', args)).ok).toBe(true);
  });

  test('accepts 10,600 bytes of UTF-8 in total', async () => {
    const { start, append, stop } = await stage();
    const { ts } = await start({ markdown_text: '漢'.repeat(3_000) });
    expect((await append(ts, { markdown_text: 'x'.repeat(1_601) })).error).toBe('msg_too_long');
    expect((await append(ts, { markdown_text: 'x'.repeat(1_600) })).ok).toBe(true);
    expect((await stop(ts, { markdown_text: 'x' })).error).toBe('msg_too_long');
    expect((await stop(ts)).ok).toBe(true);
  });

  test('counts the titles of its tasks once, and their details twice', async () => {
    const { start, append } = await stage();
    const words = { title: 't'.repeat(200), details: 'd'.repeat(250) };
    const tasks = Array.from({ length: 15 }, (_, nth) => ({
      ...{ type: 'task_update', id: `task ${nth}`, status: 'complete' },
      ...words,
    }));
    const { ts } = await start({ chunks: tasks });
    const text = (length: number) => ({ chunks: [{ type: 'markdown_text', text: 'x'.repeat(length) }] });
    expect((await append(ts, text(101))).error).toBe('msg_too_long');
    expect((await append(ts, text(100))).ok).toBe(true);
  });

  test('ends after five minutes, even with further appends', async () => {
    const { clock, start, append, stop, update } = await stage();
    const { ts } = await start({ markdown_text: 'x' });
    await clock.pass(299_000);
    expect((await append(ts, { markdown_text: 'x' })).ok).toBe(true);
    await clock.pass(1_000);
    expect((await append(ts, { markdown_text: 'x' })).error).toBe('message_not_in_streaming_state');
    expect((await stop(ts)).error).toBe('message_not_in_streaming_state');
    expect((await update(ts, { text: 'x' })).ok).toBe(true);
  });

  test('ends when a person stops it, and the app receives the event', async () => {
    const { fake, person, channel, root, start, append, stop } = await stage();
    const { ts } = await start({ markdown_text: 'x' });
    expect(person.stops(channel, root.ts)).toEqual([ts]);
    expect((await append(ts, { markdown_text: 'x' })).error).toBe('stopped_by_user');
    expect((await stop(ts)).error).toBe('message_not_in_streaming_state');
    expect(fake.deliveries.at(-1)?.payload.event).toMatchObject({
      type: 'agent_session_stopped',
      thread_ts: root.ts,
      streaming_message_ts: [ts],
    });
  });

  test('that a person deletes is gone', async () => {
    const { fake, person, channel, start, append, stop } = await stage();
    const { ts } = await start({ markdown_text: 'x' });
    const message = fake.messages(channel.id).find((each) => each.ts === ts);
    if (message !== undefined) person.deletes(message);
    expect((await append(ts, { markdown_text: 'x' })).error).toBe('message_not_found');
    expect((await stop(ts)).error).toBe('message_not_found');
  });

  test('accepts Markdown or chunks, depending on its first content', async () => {
    const { start, append, stop } = await stage();
    const chunk = { chunks: [{ type: 'markdown_text', text: 'x' }] };
    const text = await start({ markdown_text: 'x' });
    expect((await append(text.ts, chunk)).error).toBe('streaming_mode_mismatch');
    const chunks = await start(chunk);
    expect((await append(chunks.ts, { markdown_text: 'x' })).error).toBe('streaming_mode_mismatch');
    expect((await stop(chunks.ts, { markdown_text: 'x' })).error).toBe('streaming_mode_mismatch');
    const bare = await start();
    expect((await append(bare.ts, chunk)).ok).toBe(true);
    expect((await append(bare.ts, { markdown_text: 'x' })).error).toBe('streaming_mode_mismatch');
  });

  test('shows each task card once by its id, with at most 256 characters', async () => {
    const { start, append, shown } = await stage();
    const task = { type: 'task_update', id: 'a', title: 'Search', status: 'in_progress' };
    const { ts } = await start({ chunks: [task] });
    await append(ts, {
      chunks: [
        { ...task, status: 'complete' },
        { type: 'markdown_text', text: 'Done' },
      ],
    });
    expect(shown()).toEqual(['(complete) Search\nDone']);
    const long = await append(ts, { chunks: [{ ...task, details: 'x'.repeat(257) }] });
    expect(long).toMatchObject({
      error: 'invalid_chunks',
      response_metadata: { messages: [expect.stringMatching(/257/)] },
    });
  });

  test('accepts 50 blocks in chunks and 50 with its stop', async () => {
    const { start, append, stop } = await stage();
    const dividers = (count: number) => Array.from({ length: count }, () => ({ type: 'divider' }));
    const { ts } = await start({ chunks: [{ type: 'blocks', blocks: dividers(49) }] });
    const more = (count: number) => append(ts, { chunks: [{ type: 'blocks', blocks: dividers(count) }] });
    expect((await more(2)).error).toBe('msg_blocks_too_many');
    expect((await more(1)).ok).toBe(true);
    expect((await stop(ts, { blocks: dividers(51) })).error).toBe('msg_blocks_too_many');
    expect((await stop(ts, { blocks: dividers(50) })).ok).toBe(true);
  });

  test('cannot be deleted by the app while it runs', async () => {
    const { fake, channel, start, stop } = await stage();
    const { ts } = await start({ markdown_text: 'x' });
    const remove = () => call(fake, 'chat.delete', { channel: channel.id, ts });
    expect((await remove()).error).toBe('cant_delete_message');
    await stop(ts);
    expect((await remove()).ok).toBe(true);
  });

  test('with rich text cannot be edited into other blocks', async () => {
    const { start, stop, update } = await stage();
    const { ts } = await start({ markdown_text: 'x' });
    await stop(ts);
    const section = { type: 'section', text: { type: 'mrkdwn', text: 'x' } };
    expect((await update(ts, { text: 'x', blocks: [section] })).error).toBe('block_mismatch');
    expect((await update(ts, { text: 'x', blocks: [{ type: 'markdown', text: 'y' }] })).ok).toBe(true);
  });
});
