/** Tests tokens, scopes, rooms, people and files of the fake Slack, and its planted faults. */

import { describe, expect, test } from 'vitest';
import { scopesWithEmail } from '../../fakes/slack/manifest.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { call, fakeSlack, form, raw } from './wire.ts';

describe('a token', () => {
  test('must be present, known, valid and of the right kind', async () => {
    const fake = await fakeSlack();
    const workspace = fake.workspace();
    const ask = async (token: string | null) => (await raw(fake, 'auth.test', {}, token)).body.error;
    expect(await ask(null)).toBe('not_authed');
    expect(await ask('xoxb-unknown')).toBe('invalid_auth');
    expect(await ask(fake.app.appToken)).toBe('not_allowed_token_type');
    expect(await ask(workspace.token)).toBe(undefined);
    workspace.revoke();
    expect(await ask(workspace.token)).toBe('token_revoked');
  });

  test('requires the scope of the method', async () => {
    const fake = await fakeSlack({ workspaces: [{ scopes: ['users:read'] }] });
    const channel = fake.workspace().channel();
    expect(await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x' })).toEqual({
      ok: false,
      error: 'missing_scope',
      needed: 'chat:write',
      provided: 'users:read',
    });
    expect(await form(fake, 'conversations.replies', { channel: channel.id, ts: '1.1' })).toMatchObject({
      error: 'missing_scope',
      needed: 'channels:history',
    });
  });

  test('of one workspace does not see another', async () => {
    const fake = await fakeSlack({ workspaces: [{}, {}] });
    const channel = fake.workspace(1).channel();
    const post = (token: string) => call(fake, 'chat.postMessage', { channel: channel.id, text: 'x' }, token);
    expect((await post(fake.workspace(0).token)).error).toBe('channel_not_found');
    expect((await post(fake.workspace(1).token)).ok).toBe(true);
  });
});

test('unknown methods, broken JSON, and JSON in place of a form are refused', async () => {
  const fake = await fakeSlack();
  const person = fake.workspace().person();
  expect((await call(fake, 'chat.sing', {})).error).toBe('unknown_method');
  expect((await call(fake, 'users.info', { user: person.id })).error).toBe('invalid_arguments');
  expect(await form(fake, 'users.info', { user: person.id })).toMatchObject({
    user: { id: person.id, name: person.name },
  });
  // An address needs a scope that the manifest asks for only if people are mapped by their addresses.
  const without = await form(fake, 'users.info', { user: person.id });
  expect(JSON.stringify(without)).not.toContain(person.email);
  fake.workspace().grant(scopesWithEmail);
  expect(await form(fake, 'users.info', { user: person.id })).toMatchObject({
    user: { profile: { email: person.email } },
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${fake.workspace().token}` };
  const broken = await fetch(`${fake.apiUrl}auth.test`, { method: 'POST', headers, body: '{' });
  expect(await broken.json()).toMatchObject({ error: 'invalid_json' });
});

test('a thread is read page by page, with metadata on request', async () => {
  const fake = await fakeSlack();
  const workspace = fake.workspace();
  const channel = workspace.channel();
  const root = workspace.person().says(channel, 'root');
  const metadata = { event_type: 'turn', event_payload: { id: 't1' } };
  await call(fake, 'chat.postMessage', { channel: channel.id, text: 'answer', thread_ts: root.ts, metadata });
  const read = (more: object) =>
    form(fake, 'conversations.replies', { channel: channel.id, ts: root.ts, ...more });
  expect(await read({})).toMatchObject({ messages: [{ text: 'root', reply_count: 1 }, { text: 'answer' }] });
  expect((await read({})).messages).not.toMatchObject([{}, { metadata }]);
  expect((await read({ include_all_metadata: true })).messages).toMatchObject([{}, { metadata }]);
  const first = await read({ limit: 1 });
  expect(first).toMatchObject({ has_more: true, messages: [{ text: 'root' }] });
  const { next_cursor: cursor } = first.response_metadata as { next_cursor: string };
  expect(await read({ limit: 1, cursor })).toMatchObject({ has_more: false, messages: [{ text: 'answer' }] });
  expect((await form(fake, 'conversations.replies', { channel: channel.id, ts: '1.000001' })).error).toBe(
    'thread_not_found',
  );
  const history = await form(fake, 'conversations.history', { channel: channel.id });
  expect(history).toMatchObject({ messages: [{ text: 'root' }] });
});

test('a thread whose root was deleted can be read while it has replies, also where none is in the asked time', async () => {
  const fake = await fakeSlack();
  const channel = fake.workspace().channel();
  const person = fake.workspace().person();
  const root = person.says(channel, 'root');
  const reply = person.says(channel, 'reply', { thread: root.ts });
  person.deletes(root);
  const read = (more: object) =>
    form(fake, 'conversations.replies', { channel: channel.id, ts: root.ts, ...more });
  expect(await read({})).toMatchObject({ ok: true, messages: [{}, { text: 'reply' }] });
  expect(await read({ oldest: reply.ts })).toMatchObject({ ok: true });
  person.deletes(reply);
  expect(await read({})).toMatchObject({ ok: false, error: 'thread_not_found' });
});

test('a reaction can be added once', async () => {
  const fake = await fakeSlack();
  const workspace = fake.workspace();
  const channel = workspace.channel();
  const { ts } = workspace.person().says(channel, 'x');
  const react = (method: string) => call(fake, method, { channel: channel.id, timestamp: ts, name: 'eyes' });
  expect([(await react('reactions.add')).ok, (await react('reactions.add')).error]).toEqual([
    true,
    'already_reacted',
  ]);
  expect([(await react('reactions.remove')).ok, (await react('reactions.remove')).error]).toEqual([
    true,
    'no_reaction',
  ]);
});

describe('a file', () => {
  test('is read with files:read; without the scope, the answer is 200 with a page', async () => {
    const fake = await fakeSlack();
    const workspace = fake.workspace();
    const file = workspace.file({ name: 'a.png', bytes: 'bytes' });
    const { file: told } = (await form(fake, 'files.info', { file: file.id })) as {
      file?: { url_private?: string };
    };
    const read = async (token: string) => {
      const answer = await fetch(String(told?.url_private), {
        headers: { authorization: `Bearer ${token}` },
      });
      return `${answer.status} ${answer.headers.get('content-type')} ${(await answer.text()).slice(0, 9)}`;
    };
    expect(await read(workspace.token)).toBe('200 image/png bytes');
    expect(await read('xoxb-unknown')).toBe('200 text/html; charset=utf-8 <!DOCTYPE');
    expect(fake.log.of('url_private')[0]).toMatchObject({ args: { file: file.id, credential: true } });
    workspace.grant(['chat:write']);
    expect(await read(workspace.token)).toBe('200 text/html; charset=utf-8 <!DOCTYPE');
  });

  test('may redirect to another host, be on another host, or have no address yet', async () => {
    const fake = await fakeSlack();
    const workspace = fake.workspace();
    const channel = workspace.channel();
    const files = (['redirect', 'foreign', 'no-url'] as const).map((odd) => workspace.file({ odd }));
    workspace.person().says(channel, '', { files });
    const event = fake.deliveries[0]?.payload.event as {
      files: { url_private?: string; file_access: string }[];
    };
    const [redirect, foreign, none] = event.files;
    const answer = await fetch(String(redirect?.url_private), {
      redirect: 'manual',
      headers: { authorization: `Bearer ${workspace.token}` },
    });
    expect(answer.headers.get('location')).toContain('//localhost:');
    expect(foreign?.url_private).toContain('//localhost:');
    expect(none).toMatchObject({ file_access: 'check_file_info' });
  });

  test('has alt text of 1,000 characters at most', async () => {
    const fake = await fakeSlack();
    const ask = (count: number) =>
      form(fake, 'files.getUploadURLExternal', { filename: 'a.png', length: 1, alt_txt: 'x'.repeat(count) });
    expect([(await ask(1_000)).ok, (await ask(1_001)).error]).toEqual([true, 'alt_txt_too_large']);
  });

  test('is uploaded in three steps into a thread', async () => {
    const fake = await fakeSlack();
    const workspace = fake.workspace();
    const channel = workspace.channel();
    const root = workspace.person().says(channel, 'root');
    expect((await form(fake, 'files.getUploadURLExternal', { filename: 'a.png', length: 0 })).error).toBe(
      'missing_argument',
    );
    const asked = await form(fake, 'files.getUploadURLExternal', {
      filename: 'a.png',
      length: 5,
      alt_txt: 'A picture',
    });
    const share = { files: [{ id: asked.file_id, title: 'A' }], channel_id: channel.id, thread_ts: root.ts };
    expect((await call(fake, 'files.completeUploadExternal', share)).error).toBe('file_not_found');
    expect((await fetch(String(asked.upload_url), { method: 'POST', body: 'four' })).status).toBe(400);
    expect((await fetch(String(asked.upload_url), { method: 'POST', body: 'bytes' })).status).toBe(200);
    expect((await call(fake, 'files.completeUploadExternal', share)).ok).toBe(true);
    expect(fake.thread(channel.id, root.ts)[1]?.files).toMatchObject([
      { id: asked.file_id, title: 'A', altText: 'A picture' },
    ]);
    expect((await call(fake, 'files.completeUploadExternal', share)).error).toBe('file_not_found');
  });
});

describe('a fault', () => {
  test('applies to its method, place and number of calls', async () => {
    const fake = await fakeSlack();
    const workspace = fake.workspace();
    const [one, two] = [workspace.channel(), workspace.channel()];
    const planted = fake.plant({ kind: 'status', method: 'chat.*', channel: one.id, after: 1, count: 1 });
    const post = async (channel: string) =>
      (await raw(fake, 'chat.postMessage', { channel, text: 'x' })).status;
    expect([await post(one.id), await post(two.id), await post(one.id), await post(one.id)]).toEqual([
      200, 200, 500, 200,
    ]);
    expect(planted.hits).toBe(1);
    expect(fake.messages(one.id).length).toBe(2);
  });

  test('resets the connection after or before the call takes effect', async () => {
    const fake = await fakeSlack();
    const channel = fake.workspace().channel();
    const post = () => call(fake, 'chat.postMessage', { channel: channel.id, text: 'x' });
    fake.plant({ kind: 'reset', method: 'chat.postMessage' });
    await expect(post()).rejects.toThrow();
    expect(fake.messages(channel.id).length).toBe(1);
    fake.plant({ kind: 'refuse' });
    await expect(post()).rejects.toThrow();
    expect(fake.messages(channel.id).length).toBe(1);
  });

  test('never answers, or answers with a page or an error', async () => {
    const fake = await fakeSlack();
    fake.plant({ kind: 'timeout' });
    const given = new AbortController();
    const { signal } = given;
    const answer = fetch(`${fake.apiUrl}auth.test`, { method: 'POST', signal });
    await expect.poll(() => fake.log.calls.map(({ fault }) => fault)).toEqual(['timeout']);
    given.abort(new Error('given up'));
    await expect(answer).rejects.toThrow('given up');
    fake.plant({ kind: 'html' });
    expect((await raw(fake, 'auth.test', {})).headers.get('content-type')).toContain('text/html');
    fake.plant({ kind: 'error', error: 'fatal_error' });
    expect((await call(fake, 'auth.test', {})).error).toBe('fatal_error');
  });

  test('applies with a probability for a while, the same for each seed', async () => {
    const clock = createVirtualClock();
    const fake = await fakeSlack({ clock, seed: 7 });
    fake.plant({ kind: 'rate', probability: 0.3, forMs: 60_000, retryAfter: 2 });
    const statuses: number[] = [];
    for (let each = 0; each < 100; each += 1) statuses.push((await raw(fake, 'auth.test', {})).status);
    const hits = statuses.filter((status) => status === 429).length;
    expect(hits).toBeGreaterThan(15);
    expect(hits).toBeLessThan(45);
    await clock.pass(60_001);
    expect((await raw(fake, 'auth.test', {})).status).toBe(200);
  });
});

test('the log contains the arrival, arguments and answer of a call', async () => {
  const fake = await fakeSlack({ latencyMs: 30 });
  const workspace = fake.workspace();
  const channel = workspace.channel();
  await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x' });
  const [record] = fake.log.of('chat.postMessage');
  expect(record).toMatchObject({
    team: workspace.id,
    channel: channel.id,
    args: { text: 'x' },
    status: 200,
    answer: { ok: true },
  });
  expect((record?.doneAt ?? 0) - (record?.at ?? 0)).toBeGreaterThanOrEqual(25);
});
