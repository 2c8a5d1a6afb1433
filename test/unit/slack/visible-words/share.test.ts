/** Measures which share of the words that people see in Slack reaches the agent, as words or as named omissions. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '../../../../src/kit.ts';
import { questionText } from '../../../../src/platform/gateways/agent-context.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { type Rig, secret, startRig } from '../rig.ts';
import { callback, openSmallSlack, type SmallSlack } from '../small-slack.ts';
import { BOT, connected, events, type Seen } from './events.ts';

let slack: SmallSlack;
let clock: VirtualClock;
let rig: Rig;
let nth = 0;
const PEOPLE: Readonly<Record<string, string>> = { U1: 'Ada', U2: 'Grace Hopper', U3: 'Linus' };

beforeAll(async () => {
  slack = await openSmallSlack();
  Object.assign(slack.answers, {
    'users.info': ({ args }) => ({
      ok: true,
      user: { id: args.user, team_id: 'T1', real_name: PEOPLE[String(args.user)] },
    }),
    'conversations.info': () => ({ ok: true, channel: { id: 'C5', name: 'harbour-ops' } }),
    'conversations.members': () => ({ ok: true, members: ['U1'] }),
    'usergroups.list': () => ({ ok: true, usergroups: [{ id: 'S0PLATFORM', handle: 'platform-team' }] }),
    'files.info': ({ args }) => ({ ok: true, file: { ...connected, id: args.file } }),
  } satisfies SmallSlack['answers']);
  clock = createVirtualClock();
  rig = await startRig({ botToken: secret('xoxb-1'), apiUrl: slack.apiUrl }, { clock });
});
afterAll(async () => {
  await rig.close();
  await slack.close();
});

function newTs(): string {
  nth += 1;
  return `1793491300.${String(nth).padStart(6, '0')}`;
}

/** Sends the event as Slack does, and returns the question that the bridge makes of it. */
async function asked(event: object): Promise<Message | undefined> {
  rig.taken.splice(0);
  expect(await rig.send(callback(event, { event_id: `Ev${nth}` }))).toBe(200);
  const [taken] = rig.taken;
  const { lookup } = rig.adapter.abilities;
  if (lookup === undefined || (taken?.kind !== 'ask' && taken?.kind !== 'edit')) return undefined;
  return lookup.complete(taken.message, new AbortController().signal);
}

const direct = { type: 'message', user: 'U1', channel: 'D1', channel_type: 'im', team: 'T1' };
const room = { type: 'app_mention', user: 'U1', channel: 'C1', team: 'T1' };

/** Adds a mention of the app to the words of the author. */
function addressed(message: Seen['message']): object {
  const { text, blocks } = message;
  const mention = { type: 'rich_text_section', elements: [{ type: 'user', user_id: BOT }] };
  return {
    ...message,
    text: `<@${BOT}> ${String(text)}`,
    ...(Array.isArray(blocks) && { blocks: [{ type: 'rich_text', elements: [mention] }, ...blocks] }),
  };
}

/** Removes the mention of the app, with which an earlier message would be a question that the agent knows. */
const unaddressed = (message: Seen['message']): object =>
  JSON.parse(JSON.stringify(message).replaceAll(`<@${BOT}>`, '').replaceAll(BOT, 'U3'));

const ways: Readonly<Record<string, (seen: Seen) => Promise<Message | undefined> | undefined>> = {
  'direct message': ({ message, only }) =>
    only === 'channel' ? undefined : asked({ ...direct, ts: newTs(), ...message }),
  'mention in a channel': ({ message, only }) =>
    only === 'direct'
      ? undefined
      : asked({ ...room, ts: newTs(), ...(only === 'channel' ? message : addressed(message)) }),
  edit({ message, only }) {
    if (only === 'channel' || only === 'direct') return undefined;
    const ts = newTs();
    const edited = { ...direct, ts, ...message, edited: { user: 'U1', ts: newTs() } };
    const previous_message = { ...direct, ts, text: 'before' };
    const change = {
      type: 'message',
      subtype: 'message_changed',
      channel: 'D1',
      channel_type: 'im',
      ts: newTs(),
    };
    return asked({ ...change, message: edited, previous_message });
  },
  'history of a thread': ({ message, only }) => {
    if (only === 'event') return undefined;
    const ts = newTs();
    const earlier = { type: 'message', user: 'U2', ts, ...unaddressed(message), thread_ts: ts };
    slack.answers['conversations.replies'] = () => ({ ok: true, messages: [earlier] });
    clock.jump(120_000);
    return asked({ ...room, ts: newTs(), thread_ts: ts, text: `<@${BOT}> so?` });
  },
  'message that the person looks at': ({ message, only }) => {
    if (only === 'event') return undefined;
    const ts = newTs();
    const seen = { type: 'message', user: 'U2', ts, ...message };
    slack.answers['conversations.history'] = () => ({ ok: true, messages: [seen] });
    const value = { message_ts: ts, channel_id: 'C31' };
    const app_context = { entities: [{ type: 'slack#/types/message_context', value }] };
    return asked({ ...direct, ts: newTs(), text: 'so?', app_context });
  },
};

const tokens = (words: string): readonly string[] =>
  words.toLowerCase().match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu) ?? [];

/** Returns the visible words that are neither in the question nor among the named omissions. */
function missingIn({ visible }: Seen, message: Message | undefined): readonly string[] {
  const files = (message?.files ?? []).flatMap(({ name, preview }) => [`the file ${name}`, preview ?? '']);
  const known = new Set(tokens([message === undefined ? '' : questionText(message), ...files].join(' ')));
  return tokens(visible).filter((token) => !known.has(token));
}

test.each(
  Object.keys(ways),
)('%s: at least 99.9 percent of the visible words reach the agent', async (way) => {
  const lost: string[] = [];
  let count = 0;
  let seen = 0;
  for (const each of events) {
    const question = ways[way]?.(each);
    if (question === undefined) continue;
    const message = await question;
    const missing = missingIn(each, message);
    count += 1;
    seen += tokens(each.visible).length;
    lost.push(...missing.map((word) => `${each.name}: ${word}`));
    expect(message === undefined ? '' : questionText(message), each.name).not.toContain('hidden');
  }
  const share = 100 * (1 - lost.length / seen);
  process.stdout.write(
    `${way} in Slack: ${share.toFixed(2)} % of ${seen} visible words, ${count} messages\n`,
  );
  expect(lost).toEqual([]);
  expect(share).toBeGreaterThanOrEqual(99.9);
});

test('the set is large enough', () => {
  expect(events.length).toBeGreaterThanOrEqual(40);
  expect(new Set(events.map(({ name }) => name)).size).toBe(events.length);
});

test.each(
  events.filter(({ others }) => others !== undefined),
)('words of others do not become the asker’s own: $name', async ({ message, others = '' }) => {
  const question = await asked({ ...direct, ts: newTs(), ...message });
  expect(question?.text).not.toContain(others);
  expect(question?.quoted.map(({ text }) => text).join()).toContain(others);
});
