import { describe, expect, it } from 'vitest';
import {
  askByKey,
  call,
  events,
  KEY_CHAT,
  key,
  liteToken,
  shared,
  TOKEN_CHAT,
  user,
  uuid,
} from './support.ts';

describe('sandbox: lite chat', async () => {
  const sandbox = await shared({ basePath: '/deep/' });
  const token = await liteToken(sandbox);
  const byKey = (body: unknown, agent = 'echo') => askByKey(sandbox, agent, body);
  const byToken = (body: unknown, agent = 'echo') =>
    call(`${sandbox.url}${TOKEN_CHAT}${uuid(sandbox, agent)}`, { body, headers: token });

  it('answers with the same text with and without a stream', async () => {
    const question = 'Grüße 世界 👍🏽\n\n| a | b |\n|---|---|\n';
    const whole = await byKey(user(question));
    expect(whole.json).toEqual({ code: 200, message: 'success', data: { full_output: question } });
    const streamed = await byKey({ ...user(question), stream: true });
    expect(streamed.headers['content-type']).toContain('text/event-stream');
    const all = events(streamed.text);
    const text = all
      .filter((one) => one.event === 'stream')
      .map((one) => one.data.content)
      .join('');
    expect(text).toBe(question);
    expect(all.at(-1)).toEqual({
      event: 'end',
      data: { code: 200, message: 'success', data: { full_output: question } },
    });
  });

  it('keeps a conversation of the token chat and refuses a foreign or unknown one', async () => {
    const first = await byToken(user('one'));
    const { conversation_id } = first.json.data;
    expect(conversation_id).toMatch(/^[0-9a-f-]{36}$/);
    const second = await byToken({ ...user('two'), conversation_id });
    expect(second.json.data.conversation_id).toBe(conversation_id);
    expect((await byToken({ ...user('x'), conversation_id: null })).json.data.conversation_id).not.toBe(
      conversation_id,
    );
    const foreign = await call(`${sandbox.url}${TOKEN_CHAT}${uuid(sandbox, 'echo')}`, {
      body: { ...user('x'), conversation_id },
      headers: await liteToken(sandbox, 'member-two'),
    });
    for (const answer of [
      foreign,
      await byToken({ ...user('x'), conversation_id: 'no' }),
      await byToken({ ...user('x'), conversation_id }, 'knowledge'),
    ]) {
      expect([answer.status, answer.json.code]).toEqual([400, 422]);
    }
  });

  it.each([
    ['no messages', {}, 40001],
    ['messages that are no array', { messages: 'hi' }, 422],
    ['an empty array', { messages: [] }, 422],
    ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 422],
    ['a last message of the assistant', { messages: [{ role: 'assistant', content: 'x' }] }, 422],
    ['a message that is no object', { messages: [null] }, 422],
    ['no content', { messages: [{ role: 'user' }] }, 40001],
    ['a number as content', { messages: [{ role: 'user', content: 7 }] }, 422],
    ['an unknown part', user([{ type: 'audio' }]), 422],
    ['blank content', user(' \n'), 422],
    ['content without a part', user([]), 422],
    [
      'blank parts',
      user([
        { type: 'text', text: ' ' },
        { type: 'image_ids', image_ids: [] },
      ]),
      422,
    ],
    ['an unknown image', user([{ type: 'image_ids', image_ids: ['x'] }]), 422],
    ['a text as stream', { ...user('x'), stream: 'yes' }, 422],
    ['an unknown layout', { ...user('x'), layout_mode: 2 }, 422],
    ['an object as file_id', { ...user('x'), file_id: {} }, 422],
    ['malformed JSON', '{"messages": [', 422],
    ['JSON of another shape', '[]', 422],
    ['JSON that is nested too deep', `{"messages":${'['.repeat(100_000)}`, 422],
  ])('refuses %s', async (_name, body, code) => {
    const answer = await byKey(body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ code, message: expect.any(String), data: null });
  });

  it('accepts every role in key chat, and one user message in token chat', async () => {
    const messages = ['user', 'ai', 'system', 'human', 'assistant', 'user'].map((role) => ({
      role,
      content: role,
    }));
    expect((await byKey({ messages, conversation_id: 'ignored', unknown: 1 })).json.data).toEqual({
      full_output: 'user',
    });
    expect((await byToken({ messages: messages.slice(0, 2) })).json.code).toBe(422);
    expect((await byToken({ messages: [{ role: 'assistant', content: 'x' }] })).json.code).toBe(422);
    expect((await byToken({ messages: [{ role: 'human', content: 'x' }] })).json.code).toBe(200);
  });

  it('answers 404, 405 and 413 in its envelope and accepts a trailing slash', async () => {
    expect((await call(`${sandbox.url}${KEY_CHAT}/`, { body: user('x'), headers: key('echo') })).status).toBe(
      200,
    );
    expect((await call(sandbox.url + KEY_CHAT, { method: 'GET' })).status).toBe(405);
    expect(
      (await call(sandbox.url.replace('/deep', KEY_CHAT), { body: user('x'), headers: key('echo') })).status,
    ).toBe(404);
    expect((await call(`${sandbox.url}/openapi/chat/EXPERT`, { body: {} })).json).toMatchObject({
      success: false,
    });
    const large = await byKey(user('x'.repeat(3 * 1024 * 1024)));
    expect([large.status, large.json.code]).toEqual([413, 413]);
    expect((await byKey(user('x'.repeat(100_000)))).json.data.full_output).toHaveLength(100_000);
  });

  it('refuses unknown agents, reports failures of agents and asks about personal data', async () => {
    expect(
      (await call(`${sandbox.url}${TOKEN_CHAT}nobody`, { body: user('x'), headers: token })).json.code,
    ).toBe(422);
    const before = await byKey({ ...user('fail before'), stream: true }, 'fail-demo');
    expect([before.status, before.json.code]).toEqual([500, 50001]);
    const instead = await byKey({ ...user('fail instead'), stream: true }, 'fail-demo');
    expect([instead.status, instead.json.code]).toEqual([200, 50001]);
    const middle = events((await byKey({ ...user('fail in the middle'), stream: true }, 'fail-demo')).text);
    expect(middle[0]?.event).toBe('stream');
    expect(middle.at(-1)).toMatchObject({ event: 'error', data: { code: 50001 } });
    const prompt = await byKey(user('write to me@example.com'), 'privacy-demo');
    expect(prompt.json.data.full_output).toContain('personal data');
    const skipped = await byKey({ ...user('write to me@example.com'), skip_hint: true }, 'privacy-demo');
    expect(skipped.json.data.full_output).toContain('Thank you');
  });

  it('streams while the agent writes and stops the agent when the caller disconnects', async () => {
    sandbox.options.inspect = true;
    const left = await call(sandbox.url + KEY_CHAT, {
      body: { ...user('x'), stream: true },
      headers: key('slow-demo'),
      leaveAfter: 120,
    });
    expect(left.text.length).toBeLessThan(1_000);
    await expect
      .poll(async () => (await call(`${sandbox.url}/__inspect/calls`)).json.calls.at(-2))
      .toMatchObject({ operation: 'chatByKey', status: 200, complete: false, headers: { 'api-key': '***' } });
  });
});
