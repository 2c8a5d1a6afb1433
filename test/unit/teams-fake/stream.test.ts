/** Tests the rules of native streaming in the fake Teams, each with its refusal. */

import { describe, expect, test } from 'vitest';
import type { Conversation, FakeTeams } from '../../fakes/teams/index.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { type Answer, fakeTeams, send, update } from './wire.ts';

interface Streaming {
  readonly fake: FakeTeams;
  readonly clock: VirtualClock;
  readonly dm: Conversation;
  /** Makes a streaming call, by default one second after the last one. */
  type(text: string, info: object, more?: object, afterMs?: number): Promise<Answer>;
  end(text: string, info: object, more?: object, afterMs?: number): Promise<Answer>;
}

async function streaming(): Promise<Streaming> {
  const clock = createVirtualClock();
  const fake = await fakeTeams({ clock });
  const dm = fake.tenant().person({ name: 'Engineer' }).dm();
  const post = async (activity: object, afterMs: number) => {
    await clock.pass(afterMs);
    return send(fake, dm, activity);
  };
  const entities = (info: object) => [{ type: 'streaminfo', ...info }];
  return {
    fake,
    clock,
    dm,
    type: (text, info, more = {}, afterMs = 1_000) =>
      post({ type: 'typing', text, entities: entities(info), ...more }, afterMs),
    end: (text, info, more = {}, afterMs = 1_000) =>
      post({ type: 'message', text, entities: entities({ streamType: 'final', ...info }), ...more }, afterMs),
  };
}

async function begun(text = 'A brown'): Promise<Streaming & { streamId: string }> {
  const all = await streaming();
  const { body } = await all.type(text, { streamType: 'streaming', streamSequence: 1 });
  return { ...all, streamId: body.id ?? '' };
}

const refusal = ({ status, code, message }: Answer) => [status, code, message];

test('a stream shows steps, then grows, then ends with the final message', async () => {
  const { fake, dm, type, end } = await streaming();
  const first = await type('Searching', { streamType: 'informative', streamSequence: 1 });
  expect(first).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^\d+$/) } });
  const streamId = first.body.id;
  expect(fake.screen(dm)).toMatchObject([{ text: '', streaming: 'live', informative: 'Searching' }]);
  expect(await type('A brown', { streamId, streamSequence: 2 })).toMatchObject({ status: 202, body: {} });
  await type('A brown fox', { streamId, streamType: 'streaming', streamSequence: 3 });
  expect(fake.screen(dm)).toMatchObject([{ id: streamId, text: 'A brown fox', streaming: 'live' }]);
  const label = { type: 'https://schema.org/Message', '@type': 'Message', '@context': 'https://schema.org' };
  const entities = [
    { type: 'streaminfo', streamId, streamType: 'final' },
    { ...label, additionalType: ['AIGeneratedContent'] },
  ];
  const more = { entities, channelData: { feedbackLoop: { type: 'default' } } };
  expect(await end('A brown fox jumped.', {}, more)).toMatchObject({ status: 202 });
  const [message] = fake.screen(dm);
  expect(message).toMatchObject({ text: 'A brown fox jumped.', streaming: 'completed' });
  expect(message?.entities).toMatchObject([{ additionalType: ['AIGeneratedContent'] }]);
  expect(fake.log.violations).toEqual([]);
  expect(fake.log.calls.map(({ method }) => method)).toEqual([
    'token',
    'stream',
    'stream',
    'stream',
    'final',
  ]);
});

test('each activity of a stream requires the type of the conversation', async () => {
  const { type, streamId, end } = await begun();
  for (const conversation of [undefined, {}, { conversationType: 'groupChat' }]) {
    const more = { conversation };
    const refused = { status: 405, code: 'MethodNotAllowed' };
    expect(await type('A brown', { streamSequence: 1 }, more)).toMatchObject(refused);
    expect(await type('A brown fox', { streamId, streamSequence: 2 }, more)).toMatchObject(refused);
    expect(await end('A brown fox', { streamId }, more)).toMatchObject(refused);
  }
  expect((await end('A brown fox', { streamId })).status).toBe(202);
});

test('streams exist in personal chats only, one at a time', async () => {
  const { fake, dm, type, streamId, end } = await begun();
  const denied = [403, 'ContentStreamNotAllowed', 'Content stream is not allowed'];
  expect(refusal(await type('Another', { streamSequence: 1 }))).toEqual(denied);
  await end('A brown', { streamId });
  expect((await type('Another', { streamSequence: 1 })).status).toBe(201);
  const chat = fake.tenant().chat();
  const activity = { type: 'typing', entities: [{ type: 'streaminfo', streamSequence: 1 }] };
  expect(refusal(await send(fake, chat, activity))).toEqual(denied);
  expect(fake.screen(dm)).toHaveLength(2);
});

describe('a start is refused', () => {
  test.each([
    ['without a text', '', { streamSequence: 1 }, {}],
    ['without a sequence', 'A', {}, {}],
    ['with another sequence than 1', 'A', { streamSequence: 2 }, {}],
    ['as a final', 'A', { streamSequence: 1, streamType: 'final' }, {}],
    ['with a type of its own', 'A', { streamSequence: 1, streamType: 'start' }, {}],
    ['with a long informative line', 'x'.repeat(1_025), { streamSequence: 1, streamType: 'informative' }, {}],
    ['with attachments', 'A', { streamSequence: 1 }, { attachments: [] }],
    ['with feedback', 'A', { streamSequence: 1 }, { channelData: { feedbackLoop: { type: 'default' } } }],
    ['with suggestions', 'A', { streamSequence: 1 }, { suggestedActions: { actions: [] } }],
  ])('%s', async (_, text, info, more) => {
    const { type } = await streaming();
    expect(await type(text, info, more)).toMatchObject({ status: 400, code: 'BadRequest' });
  });

  test('with the AI label', async () => {
    const { type } = await streaming();
    const label = {
      type: 'https://schema.org/Message',
      '@type': 'Message',
      '@context': 'https://schema.org',
      additionalType: ['AIGeneratedContent'],
    };
    const more = { entities: [{ type: 'streaminfo', streamSequence: 1 }, label] };
    expect(await type('A', {}, more)).toMatchObject({ status: 400 });
  });
});

describe('a further call', () => {
  test('must contain the streamed text, also in the final message', async () => {
    const { type, end, streamId } = await begun();
    const denied = [
      403,
      'ContentStreamNotAllowed',
      'Request streamed content should contain the previously streamed content',
    ];
    expect(refusal(await type('Hello', { streamId, streamSequence: 2 }))).toEqual(denied);
    expect(refusal(await end('Hello', { streamId }))).toEqual(denied);
  });

  test('must follow the last one after at least a second', async () => {
    const { fake, type, end, streamId } = await begun();
    const early = await type('A brown fox', { streamId, streamSequence: 2 }, {}, 999);
    expect(early).toMatchObject({ status: 429, message: 'API calls quota exceeded' });
    expect(early.headers.get('retry-after')).toBe('1');
    expect(await type('A brown fox', { streamId, streamSequence: 2 }, {}, 1)).toMatchObject({ status: 202 });
    expect(await end('A brown fox', { streamId }, {}, 999)).toMatchObject({ status: 429 });
    expect(fake.log.calls.at(-1)?.retryAfter).toBe('1');
  });

  test('is dropped if its sequence number is too low', async () => {
    const { fake, dm, type, streamId } = await begun();
    await type('A brown fox', { streamId, streamSequence: 2 });
    expect(await type('A brown fox jumped', { streamId, streamSequence: 2 })).toMatchObject({
      status: 202,
      code: 'ContentStreamSequenceOrderPreConditionFailed',
    });
    expect(fake.screen(dm)[0]?.text).toBe('A brown fox');
  });

  test('may skip a sequence number only if its request was lost', async () => {
    const { fake, type, streamId } = await begun();
    fake.plant({ kind: 'refuse', method: 'stream' });
    await expect(type('A brown fox', { streamId, streamSequence: 2 })).rejects.toThrow();
    expect((await type('A brown fox', { streamId, streamSequence: 3 })).status).toBe(202);
    expect(fake.log.violations).toEqual([]);
    await type('A brown fox j', { streamId, streamSequence: 5 });
    expect(fake.log.violations).toMatchObject([{ messages: ['stream sequence 4 was left out'] }]);
  });

  test('requires the id of its stream', async () => {
    const { type, end, streamId } = await begun();
    expect((await type('A brown fox', { streamId: '12', streamSequence: 2 })).status).toBe(404);
    expect((await end('A brown fox', {})).status).toBe(400);
    expect((await end('A brown fox', { streamId, streamSequence: 2 })).status).toBe(400);
    expect((await end('', { streamId })).status).toBe(400);
    expect((await end('A brown', { streamId, streamType: 'streaming' })).status).toBe(400);
  });

  test('is refused as an informative line after the first text', async () => {
    const { type, streamId } = await begun();
    const info = { streamId, streamSequence: 2, streamType: 'informative' };
    expect((await type('Reading', info)).status).toBe(400);
  });

  test('has at most 100 KB of UTF-16', async () => {
    const { type, end, streamId } = await begun();
    const long = `A brown ${'x'.repeat(52_000)}`;
    const denied = [403, 'ContentStreamNotAllowed', 'Message size too large'];
    expect(refusal(await type(long, { streamId, streamSequence: 2 }))).toEqual(denied);
    expect(refusal(await end(long, { streamId }))).toEqual(denied);
  });
});

describe('a stream has ended', () => {
  test('after the final message', async () => {
    const { fake, dm, type, end, streamId } = await begun();
    await end('A brown fox', { streamId });
    const denied = [
      403,
      'ContentStreamNotAllowed',
      'Content stream is not allowed on an already completed streamed message',
    ];
    expect(refusal(await type('A brown fox j', { streamId, streamSequence: 2 }))).toEqual(denied);
    expect(refusal(await end('A brown fox j', { streamId }))).toEqual(denied);
    expect((await update(fake, dm, streamId, { text: 'Something else' })).status).toBe(200);
    expect(fake.screen(dm)).toMatchObject([{ text: 'Something else', edited: true }]);
  });

  test('after two minutes; an edit then ends the message', async () => {
    const { fake, dm, clock, type, end, streamId } = await begun();
    await clock.pass(118_000);
    expect((await type('A brown fox', { streamId, streamSequence: 2 })).status).toBe(202);
    const denied = [
      403,
      'ContentStreamNotAllowed',
      'Content stream finished due to exceeded streaming time.',
    ];
    expect(refusal(await type('A brown fox j', { streamId, streamSequence: 3 }, {}, 2_000))).toEqual(denied);
    expect(refusal(await end('A brown fox j', { streamId }))).toEqual(denied);
    expect(fake.screen(dm)).toMatchObject([{ text: 'A brown fox', streaming: 'expired' }]);
    expect((await update(fake, dm, streamId, { text: 'A brown fox jumped.' })).status).toBe(200);
  });

  test('only its stream may change a streaming message', async () => {
    const { fake, dm, streamId } = await begun();
    expect((await update(fake, dm, streamId, { text: 'Something else' })).status).toBe(400);
  });
});
