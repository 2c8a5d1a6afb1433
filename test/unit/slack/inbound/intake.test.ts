import { beforeEach, describe, expect, test } from 'vitest';
import type { Workspace } from '../../../../adapters/slack/api/workspace.ts';
import { takeIn } from '../../../../adapters/slack/inbound/intake.ts';
import { decodeEvent } from '../../../../adapters/slack/receive/decode.ts';
import { createEngagement } from '../../../../src/core/stores/engagement.ts';
import { plain } from '../../../../src/kit/json.ts';
import { agentName, type IntakeResult, type MentionRule } from '../../../../src/kit/ladder.ts';
import type { Talk } from '../../../../src/kit/talk.ts';
import { type Intake, turnId } from '../../../../src/kit.ts';
import { createEngaging } from '../../../fakes/engaging.ts';
import { memoryKeyed } from '../keyed.ts';
import { recorded } from '../recorded.ts';

const acme: Workspace = { tenant: 'T0ACME', botUser: 'U0BOT', botId: 'B0BOT', token: 'xoxb-secret' };
let taken: Intake[];
let refusals: string[];
let kept: IntakeResult;
let deps: Talk;
let rule: MentionRule;

beforeEach(() => {
  taken = [];
  rule = 'alone';
  refusals = [];
  kept = { kind: 'kept', turn: turnId('t'), ahead: 0 };
  const state = memoryKeyed(new Map());
  const engaging = createEngaging(state);
  deps = {
    host: {
      mentionRule: () => rule,
      async intake(event) {
        taken.push(event);
        return engaging.noted(event, kept);
      },
      agents: () => [{ name: agentName('knowledge'), description: '', seesImages: false }],
    },
    engagement: createEngagement(state),
    once: (_, work) => work(),
    refuse: async (_, words) => void refusals.push(words),
  };
});

async function take(name: string, over: object = {}): Promise<void> {
  const event = decodeEvent({ ...plain(recorded(name).event), ...over });
  if (event !== undefined) await takeIn(event, acme, deps);
}

const message = (index = 0) => {
  const event = taken[index];
  if (event?.kind !== 'ask' && event?.kind !== 'edit') throw new Error('nothing was asked');
  return event.message;
};

describe('a mention', () => {
  test('asks with the whole text, without the mention itself', async () => {
    await take('app-mention');
    expect(taken).toEqual([
      {
        kind: 'ask',
        origin: { kind: 'message', key: 'C0FIELD/1793491200.000100', revision: 0 },
        message: {
          id: 'C0FIELD/1793491200.000100',
          thread: {
            channel: 'slack',
            tenant: 'T0ACME',
            room: 'C0FIELD',
            key: '1793491200.000100',
            kind: 'room',
          },
          sender: { id: 'U0ENGINEER', name: 'U0ENGINEER', standing: 'member', home: 'T0ACME' },
          text: 'is **the seal** safe?\n\n- oil\n- filter\n\n> Maybe <soon>\n\n```\nx < 1\n```',
          quoted: [],
          files: [],
          sentAt: 1_793_491_200_000.1,
          revision: 0,
        },
      },
    ]);
  });

  test('arrives as two events with one origin', async () => {
    await take('app-mention');
    await take('message-channel');
    const [one, other] = taken.map((event) => event.kind === 'ask' && event.origin);
    expect(one).toEqual(other);
  });

  test('without blocks is read from the older text format', async () => {
    await take('app-mention', { blocks: undefined });
    expect(message().text).toBe('is **the seal** safe?\n• oil\n• filter\n> Maybe <soon>\n```\nx < 1\n```');
  });

  test('names an agent', async () => {
    await take('app-mention', { blocks: [], text: '<@U0BOT> Knowledge: how long?' });
    expect(message()).toMatchObject({ agent: 'knowledge', text: 'how long?' });
  });

  test('keeps a first word with a colon that names no agent', async () => {
    await take('app-mention', { blocks: [], text: '<@U0BOT>, note: it leaks' });
    expect(message().text).toBe('note: it leaks');
    expect(message().agent).toBeUndefined();
  });

  test('counts in the middle or at the end of the text', async () => {
    await take('message-thread', { blocks: [], text: 'What does <@U0BOT> think of <@U0DESIGNER>?' });
    await take('message-thread', { blocks: [], text: 'How long? <@U0BOT>' });
    expect(message().text).toBe('What does think of <@U0DESIGNER>?');
    expect(message(1).text).toBe('How long?');
  });

  test('passes on shared messages with their authors', async () => {
    await take('message-shared');
    expect(message()).toMatchObject({
      text: 'is that right?',
      quoted: [
        {
          author: 'Designer',
          text: 'The oil lasts **two** years.\n2026-10-30T22:40:00.000Z\nhttps://acme.slack.com/archives/C0OTHER/p1793400000000100',
        },
      ],
    });
  });

  test('passes on a pasted table as its own text', async () => {
    await take('message-table');
    expect(message().text).toBe('which is best?\n\n| Oil | Years |\n| --- | --- |\n| **A\\|B** | 2 |');
    expect(message().quoted).toEqual([]);
  });

  test('passes on its files as plain data, without deleted ones', async () => {
    await take('file-share');
    expect(message().files).toEqual([
      {
        id: 'T0ACME F0PHOTO https://files.slack.com/files-pri/T0ACME-F0PHOTO/download/photo.png',
        name: 'photo.png',
        type: 'image/png',
        bytes: 123_456,
      },
      { id: 'T0ACME F0SHARED', name: 'F0SHARED', type: '', bytes: 0 },
    ]);
  });

  test('that is refused is answered to its author', async () => {
    kept = { kind: 'refused', tellUser: 'That is too long.' };
    await take('app-mention');
    expect(refusals).toEqual(['That is too long.']);
  });
});

describe('a follow-up', () => {
  test('without a mention asks nothing if no agent was asked in the thread', async () => {
    await take('message-thread');
    expect(taken).toEqual([]);
  });

  test('without a mention asks if an agent was asked in the thread', async () => {
    await take('app-mention');
    await take('message-thread', { user: 'U0ENGINEER' });
    expect(message(1)).toMatchObject({
      text: 'And the other one, in <#C0OTHER|other>?',
      thread: { key: '1793491200.000100' },
    });
  });

  test('asks nothing if the question before it was refused', async () => {
    kept = { kind: 'refused', tellUser: 'No.' };
    await take('app-mention');
    await take('message-thread');
    expect(taken).toHaveLength(1);
  });

  test.each([
    '<@U0ENGINEER> can you look?',
    ' <@U0ENGINEER|engineer>: yes',
    '<!here> lunch',
    '<!subteam^S0TEAM12|ops> look',
  ])('that begins with a mention of others asks nothing: %s', async (text) => {
    await take('app-mention');
    await take('message-thread', { blocks: [], text, user: 'U0ENGINEER' });
    expect(taken).toHaveLength(1);
  });

  test('in another thread, room or workspace asks nothing', async () => {
    await take('app-mention', { user: 'U0DESIGNER' });
    await take('message-thread', { thread_ts: '1793491100.000100' });
    await take('message-thread', { channel: 'C0OTHER' });
    const event = decodeEvent(recorded('message-thread').event);
    if (event?.kind === 'said') await takeIn(event, { ...acme, tenant: 'T0OTHER' }, deps);
    expect(taken).toHaveLength(1);
  });

  test('of another app needs a mention, so that two apps cannot answer each other forever', async () => {
    await take('app-mention');
    await take('message-thread', { bot_id: 'B0OTHER', user: 'U0ENGINEER' });
    expect(taken).toHaveLength(1);
    await take('message-thread', { bot_id: 'B0OTHER', blocks: [], text: '<@U0BOT> hello' });
    expect(message(1).sender.standing).toBe('bot');
  });
});

describe('the rule of a room', () => {
  test('“mention” also applies in threads where an agent was asked', async () => {
    await take('app-mention');
    rule = 'mention';
    await take('message-thread');
    expect(taken).toHaveLength(1);
    await take('message-thread', { blocks: [], text: '<@U0BOT> and the other?' });
    expect(taken).toHaveLength(2);
  });

  test('“open” accepts every message, except those to others and of other apps', async () => {
    rule = 'open';
    const root = { blocks: [], thread_ts: undefined };
    await take('message-thread', { ...root, text: 'How long is it?' });
    await take('message-thread');
    expect(taken).toHaveLength(2);
    expect(message().thread).toMatchObject({ key: '1793491260.000200' });
    await take('message-thread', { ...root, text: '<@U0ENGINEER> can you look?' });
    await take('message-thread', { ...root, text: 'Build done', bot_id: 'B0OTHER' });
    expect(taken).toHaveLength(2);
  });
});

test('an app without a user asks by a mention, as a bot with its own name', async () => {
  await take('message-bot');
  expect(message()).toMatchObject({
    text: 'build failed',
    sender: { id: 'B0BUILD', name: 'build', standing: 'bot' },
  });
  await take('message-bot', { text: 'build failed' });
  await take('message-bot', { bot_id: 'B0BOT' });
  expect(taken).toHaveLength(1);
});

test.each([
  {},
  { user: 'U0OTHER' },
])('the app’s own message that mentions it asks nothing: %j', async (over) => {
  await take('message-own', { text: '<@U0BOT> may be asked', ...over });
  expect(taken).toEqual([]);
});

test('a direct message asks, in its thread', async () => {
  await take('message-direct');
  expect(message()).toMatchObject({
    text: 'How long is the warranty?',
    thread: { room: 'D0ENGINEER', key: '1793491299.000100', kind: 'direct' },
  });
});

test('a message in a group needs a mention', async () => {
  await take('message-direct', { channel: 'G0GROUP', channel_type: 'mpim', thread_ts: undefined });
  expect(taken).toEqual([]);
});

test.each(['message-own', 'message-join', 'message-unfurled'])('%s asks nothing', async (name) => {
  await take('app-mention');
  await take(name);
  expect(taken).toHaveLength(1);
});

describe('an edit', () => {
  test('arrives as a later revision of the same message', async () => {
    await take('message-changed');
    expect(taken[0]).toMatchObject({
      kind: 'edit',
      fresh: true,
      message: {
        id: 'C0FIELD/1793491200.000100',
        text: 'is the valve safe?',
        revision: 1_793_491_290_000_500,
      },
    });
  });

  test('of an older message does not ask for the first time, because its question arrived long ago', async () => {
    const ts = '1793091200.000100';
    const words = { ts, user: 'U0ENGINEER', text: '<@U0BOT> is the seal safe?' };
    await take('message-changed', {
      message: { ...words, text: '<@U0BOT> is the valve safe?', edited: { ts: '1793491290.000500' } },
      previous_message: words,
    });
    expect(taken[0]).toMatchObject({ kind: 'edit', fresh: false });
  });

  test('that adds the mention asks as a new question', async () => {
    await take('message-changed', {
      previous_message: { ts: '1793491200.000100', text: 'is the seal safe?' },
    });
    expect(taken[0]).toMatchObject({ kind: 'edit', fresh: true });
  });

  test('of a message that was no question asks nothing', async () => {
    const words = {
      ts: '1793491200.000100',
      user: 'U0ENGINEER',
      text: 'lunch?',
      edited: { ts: '1793491290.000500' },
    };
    await take('message-changed', { message: words, previous_message: { ...words, edited: undefined } });
    expect(taken).toEqual([]);
  });
});

/** Edits that change nothing that people see, as apps and Slack make them days after a message was answered. */
describe('an edit without new words asks nothing', () => {
  const ts = '1793091200.000100';
  const words = { ts, user: 'U0ENGINEER', text: '<@U0BOT> is the seal safe?' };
  const alert = { ts, bot_id: 'B0ALERT', text: '', attachments: [{ text: '<@U0BOT> queue is full' }] };
  const file = { id: 'F1', name: 'log.txt', url_private: 'https://files.slack.com/log.txt' };
  const edited = { user: 'U0ENGINEER', ts: '1793491290.000500' };
  test.each([
    // https://github.com/langchain-ai/open-swe/pull/2287
    [
      'of metadata',
      { ...words, metadata: { event_type: 'ticket', event_payload: { state: 'solved' } } },
      words,
    ],
    // https://github.com/NousResearch/hermes-agent/pull/89639
    ['of an app’s own post', { ...alert, metadata: { event_type: 'ticket' } }, alert],
    ['of the block ids', { ...words, blocks: [{ type: 'section', block_id: 'b2' }] }, words],
    [
      'of a message with a file',
      { ...words, files: [file] },
      { ...words, files: [{ ...file, pretty_type: 'Text' }] },
    ],
    // https://github.com/NousResearch/hermes-agent/pull/73450
    [
      'of an older edit, without the message before',
      { ...words, edited: { ts: '1793091300.000000' } },
      undefined,
    ],
    [
      'in a direct message, likewise',
      { ...words, channel: 'D0ENGINEER', edited: { ts: '1793091300.000000' } },
      {},
    ],
  ])('%s', async (_, message, previous) => {
    await take('message-changed', { message: { edited, ...message }, previous_message: previous });
    expect(taken).toEqual([]);
  });

  test.each([
    ['a changed attachment', { ...alert, attachments: [{ text: '<@U0BOT> queue is empty' }] }, alert],
    ['another file', { ...words, files: [file] }, words],
  ])('but %s does', async (_, message, previous) => {
    await take('message-changed', { message: { edited, ...message }, previous_message: previous });
    expect(taken).toMatchObject([{ kind: 'edit' }]);
  });

  test('and a partial earlier message does not show that the mention is new', async () => {
    await take('message-changed', { message: { ...words, edited }, previous_message: { ts } });
    expect(taken).toMatchObject([{ kind: 'edit', fresh: false }]);
  });
});

// https://github.com/inkeep/agents/pull/2284, https://github.com/slack-go/slack/pull/1256
test.each([
  [
    'is an edit, because Slack repeats it for each edit',
    '1793491290.000500',
    [{ kind: 'edit', fresh: true }],
  ],
  ['of an old message is left to the event of its edit', '1793891290.000500', []],
])('a mention with an edit’s time %s', async (_, ts, expected) => {
  await take('app-mention', { edited: { user: 'U0ENGINEER', ts } });
  expect(taken).toMatchObject(expected);
});

test.each(['message-deleted', 'message-tombstone'])('%s withdraws the question', async (name) => {
  await take(name);
  expect(taken).toEqual([
    {
      kind: 'delete',
      thread: { channel: 'slack', tenant: 'T0ACME', room: 'C0FIELD', key: '1793491200.000100', kind: 'room' },
      message: 'C0FIELD/1793491200.000100',
    },
  ]);
});

test('the native Stop stops the running answer of its thread', async () => {
  await take('agent-session-stopped');
  expect(taken).toMatchObject([
    {
      kind: 'stop',
      thread: { room: 'C0FIELD', key: '1793491200.000100' },
      streams: ['1793491201.000100'],
      by: { id: 'U0DESIGNER' },
    },
  ]);
});

test('an event is refused while the store is down', async () => {
  deps = { ...deps, host: { ...deps.host, intake: () => Promise.reject(new Error('down')) } };
  await expect(take('app-mention')).rejects.toThrow('down');
});
