/** Tests posts, edits and deletions in the fake Slack. */

import { describe, expect, test } from 'vitest';
import { visibleText } from '../../fakes/slack/index.ts';
import { call, fakeSlack, form } from './wire.ts';

async function room() {
  const fake = await fakeSlack();
  const workspace = fake.workspace();
  return { fake, workspace, channel: workspace.channel({ name: 'general' }) };
}

describe('a post', () => {
  test('is visible as sent, by JSON and by form', async () => {
    const { fake, channel } = await room();
    const first = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'Hello' });
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*Bold*' } }];
    const second = await form(fake, 'chat.postMessage', { channel: channel.id, text: 'fallback', blocks });
    expect(first).toMatchObject({ ok: true, channel: channel.id, message: { text: 'Hello' } });
    expect(second.ok).toBe(true);
    expect(fake.messages(channel.id).map(visibleText)).toEqual(['Hello', '*Bold*']);
  });

  test('of more than 40,000 characters is cut without an error', async () => {
    const { fake, channel } = await room();
    await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x'.repeat(40_001) });
    expect(fake.messages(channel.id)[0]).toMatchObject({ truncated: true, text: 'x'.repeat(40_000) });
  });

  const refused: readonly [string, object, string][] = [
    ['no_text', { text: '' }, 'no_text'],
    ['an unknown room', { channel: 'C0NOWHERE', text: 'x' }, 'channel_not_found'],
    ['an unknown thread', { text: 'x', thread_ts: '1.000001' }, 'thread_not_found'],
    [
      'metadata of 8,001 characters',
      { text: 'x', metadata: { event_type: 'x', event_payload: { a: 'x'.repeat(8_001 - 43) } } },
      'metadata_too_large',
    ],
    ['Markdown beside text', { text: 'x', markdown_text: 'x' }, 'markdown_text_conflict'],
    [
      'Markdown beside blocks',
      { blocks: [{ type: 'divider' }], markdown_text: 'x' },
      'markdown_text_conflict',
    ],
    ['Markdown of 12,001 characters', { markdown_text: 'x'.repeat(12_001) }, 'msg_too_long'],
  ];
  test.each(refused)('%s', async (_, args, error) => {
    const { fake, channel } = await room();
    expect(await call(fake, 'chat.postMessage', { channel: channel.id, ...args })).toMatchObject({
      ok: false,
      error,
    });
    expect(fake.messages(channel.id)).toEqual([]);
  });

  test('accepts metadata of 8,000 characters', async () => {
    const { fake, channel } = await room();
    const metadata = { event_type: 'x', event_payload: { a: 'x'.repeat(8_000 - 43) } };
    expect(JSON.stringify(metadata).length).toBe(8_000);
    expect((await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x', metadata })).ok).toBe(
      true,
    );
  });

  test('requires the app in the room, an active room and an allowed action', async () => {
    const { fake, workspace } = await room();
    const post = (channel: string) => call(fake, 'chat.postMessage', { channel, text: 'x' });
    const outside = workspace.channel({ withApp: false });
    const hidden = workspace.channel({ withApp: false, kind: 'group' });
    const archived = workspace.channel();
    archived.archived = true;
    const closed = workspace.channel();
    closed.restricted = 'restricted_action';
    const errors = await Promise.all([outside, hidden, archived, closed].map(({ id }) => post(id)));
    expect(errors.map(({ error }) => error)).toEqual([
      'not_in_channel',
      'channel_not_found',
      'is_archived',
      'restricted_action',
    ]);
  });

  test('to a person opens the direct message', async () => {
    const { fake, workspace } = await room();
    const person = workspace.person();
    const { channel } = await call(fake, 'chat.postMessage', { channel: person.id, text: 'Hello' });
    expect(channel).toBe(person.dm().id);
  });
});

describe('an edit', () => {
  test('replaces the text and the blocks, and keeps the earlier version', async () => {
    const { fake, channel } = await room();
    const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'Title' } }];
    const { ts } = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'one', blocks });
    const shown = () => fake.messages(channel.id).map(visibleText);
    await call(fake, 'chat.update', { channel: channel.id, ts, text: 'two', blocks });
    expect(fake.messages(channel.id)[0]).toMatchObject({ text: 'two', history: [{ text: 'one' }] });
    expect([shown(), fake.messages(channel.id)[0]?.editedAt]).toEqual([['Title'], undefined]);
    await call(fake, 'chat.update', { channel: channel.id, ts, text: 'three' });
    expect(shown()).toEqual(['three']);
    expect(fake.messages(channel.id)[0]?.editedAt).toBeGreaterThan(0);
  });

  test('accepts 4,000 bytes of text, not characters', async () => {
    const { fake, channel } = await room();
    const { ts } = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'one' });
    const edit = (text: string) => call(fake, 'chat.update', { channel: channel.id, ts, text });
    expect((await edit('é'.repeat(2_000))).ok).toBe(true);
    expect((await edit(`${'é'.repeat(2_000)}x`)).error).toBe('msg_too_long');
  });

  test('is allowed only for the app’s own existing messages, in time', async () => {
    const { fake, workspace, channel } = await room();
    const theirs = workspace.person().says(channel, 'mine');
    const { ts } = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'one' });
    const edit = (which: unknown) =>
      call(fake, 'chat.update', { channel: channel.id, ts: which, text: 'two' });
    expect((await edit(theirs.ts)).error).toBe('cant_update_message');
    expect((await edit('1.000001')).error).toBe('message_not_found');
    workspace.state.editWindowMinutes = -1;
    expect((await edit(ts)).error).toBe('edit_window_closed');
  });
});

test('a deletion removes the app’s own message', async () => {
  const { fake, workspace, channel } = await room();
  const theirs = workspace.person().says(channel, 'mine');
  const { ts } = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'one' });
  expect((await call(fake, 'chat.delete', { channel: channel.id, ts: theirs.ts })).error).toBe(
    'cant_delete_message',
  );
  expect((await call(fake, 'chat.delete', { channel: channel.id, ts })).ok).toBe(true);
  expect((await call(fake, 'chat.delete', { channel: channel.id, ts })).error).toBe('message_not_found');
  expect(fake.messages(channel.id).map(({ ts: left }) => left)).toEqual([theirs.ts]);
});

test('an ephemeral message is visible to one member and found by no method', async () => {
  const { fake, workspace, channel } = await room();
  const [inside, outside] = [workspace.person(), workspace.person()];
  inside.says(channel, 'hello');
  const tell = (user: string) =>
    call(fake, 'chat.postEphemeral', { channel: channel.id, user, text: 'only you' });
  expect((await tell(outside.id)).error).toBe('user_not_in_channel');
  const { message_ts: ts } = await tell(inside.id);
  expect(fake.messages(channel.id).at(-1)).toMatchObject({ onlyFor: inside.id, text: 'only you' });
  expect((await call(fake, 'chat.update', { channel: channel.id, ts, text: 'x' })).error).toBe(
    'message_not_found',
  );
});

test('links of a post unfurl unless both kinds are off', async () => {
  const { fake, channel } = await room();
  const post = (args: object) =>
    call(fake, 'chat.postMessage', { channel: channel.id, text: 'see https://example.com/a', ...args });
  await post({});
  await post({ unfurl_links: false, unfurl_media: false });
  expect(fake.messages(channel.id).map(({ unfurls }) => unfurls)).toEqual([['https://example.com/a'], []]);
});
