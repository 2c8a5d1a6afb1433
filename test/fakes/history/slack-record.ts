/** Records a run through Slack. */

import type { CallRecord, FakeSlack, Message } from '../slack/index.ts';
import { type Inbound, knownOf, messageKey } from './acceptance.ts';
import {
  type Called,
  type History,
  NOTICE,
  type Place,
  type Question,
  type Seen,
  type Shown,
  type Version,
  wordsOf,
} from './kept.ts';
import { lookOf } from './look.ts';
import { threadOf } from './replies.ts';
import { sayingsIn } from './saying.ts';
import { actsIn, inboundOf } from './slack-inbound.ts';

export function slackRecord(slack: FakeSlack): Seen {
  const messages = [...slack.world.workspaces.values()].flatMap(({ channels }) =>
    [...channels.values()].flatMap((channel) => channel.messages),
  );
  const inbound = inboundOf(slack);
  return {
    questions: messages.flatMap((message) => questionIn(message, inbound)),
    shown: messages.filter(({ app, onlyFor }) => app && onlyFor === undefined).map(shownIn),
    calls: calledIn(slack, messages),
    thinking: thinkingIn(slack, messages),
    closed: closedIn(slack),
    violations: slack.log.violations.map((each) => JSON.stringify(each)),
    acts: actsIn(slack),
  };
}

const placeOf = ({ team, channel, threadTs, ts }: Message): Place => ({
  team,
  channel,
  thread: threadTs ?? ts,
});

function questionIn(message: Message, inbound: Inbound): readonly Question[] {
  if (message.app) return [];
  const said = [...message.history.map(({ text }) => text), message.text];
  const sayings = said.flatMap((text) => sayingsIn(text).at(-1) ?? []);
  if (sayings.length === 0) return [];
  const { ts, deletedAt, reactions, postedAt: sentAt } = message;
  const waits = (reactions.get('hourglass_flowing_sand')?.size ?? 0) > 0;
  const key = messageKey(message.team, message.channel, ts);
  const known = {
    ...knownOf(
      inbound,
      key,
      sayings.map(({ id }) => id),
    ),
    ...(deletedAt !== undefined && { deletedAt }),
  };
  return [{ ...placeOf(message), ts, sayings, waits, sentAt, ...known }];
}

function shownIn(message: Message): Shown {
  const { markdown = '', blocks, text, metadata, stream, deletedAt, postedAt, ts, history } = message;
  const payload = metadata?.event_payload as { turn: string; part: number } | undefined;
  const beside = besideIn(blocks);
  return {
    ...placeOf(message),
    ts,
    ...(payload !== undefined && { mark: { turn: payload.turn, part: payload.part } }),
    names: [...new Set([...beside.matchAll(/ \/(\d{10}\.\d{6}) /g)].map(([, name = '']) => name))],
    words: wordsOf(markdown) + wordsIn(blocks, markdown === '' ? text : ''),
    beside,
    isNotice: NOTICE.test(beside) || (blocks.length === 0 && NOTICE.test(text)),
    look: lookOf([wordsOf(markdown) + wordsIn(blocks, markdown === '' ? text : ''), beside]),
    live: stream?.state === 'live',
    postedAt,
    ...(deletedAt !== undefined && { deletedAt }),
    versions: history.map(({ at, blocks: before, text: said }): Version => {
      const words = wordsIn(before, said);
      return {
        until: at,
        words,
        notice: NOTICE.test(besideIn(before)) || (before.length === 0 && NOTICE.test(said)),
        look: lookOf([words, besideIn(before)]),
      };
    }),
  };
}

const besideIn = (blocks: Message['blocks']): string =>
  JSON.stringify(blocks.filter((block) => !isAnswer(block)));

/** Returns the words of the answer, taken from the plain text if there are no blocks. */
const wordsIn = (blocks: Message['blocks'], plain: string): string =>
  blocks.length === 0
    ? wordsOf(unescaped(plain))
    : blocks
        .filter(isAnswer)
        .map((block) => wordsOf(String(block.text)))
        .join('');

const isAnswer = ({ type, text }: Readonly<Record<string, unknown>>): boolean =>
  type === 'markdown' && !String(text).startsWith('**Sources**');

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const keyOf = ({ team, channel, ts }: { team: string; channel: string; ts: string }): string =>
  `${team} ${channel} ${ts}`;

function calledIn({ log }: FakeSlack, messages: readonly Message[]): readonly Called[] {
  const threads = new Map(messages.map((message) => [keyOf(message), placeOf(message)]));
  return log.calls.map((call) => {
    const ts = String(call.answer?.ts ?? call.args.ts ?? call.args.timestamp ?? '');
    const channel = call.channel ?? String(call.args.channel_id ?? '');
    const { at, method, team = '', doneAt = Number.POSITIVE_INFINITY } = call;
    const thread = threads.get(keyOf({ team, channel, ts }))?.thread ?? String(call.args.thread_ts ?? '');
    return {
      at,
      doneAt,
      method,
      team,
      channel,
      ts,
      thread,
      ...answered(call),
      ...(call.fault !== undefined && { fault: call.fault }),
      said: JSON.stringify(call.args),
    };
  });
}

/** A call that took effect counts as done, even if its response was lost. */
const answered = ({ answer }: CallRecord) => ({
  ok: answer?.ok === true,
  error: answer === undefined || answer.ok === true ? '' : String(answer.error),
});

/** Returns the threads with a status. People see the status of a thread only while the thread has a message. */
function thinkingIn({ world }: FakeSlack, messages: readonly Message[]): readonly Place[] {
  const existing = messages.filter(({ deletedAt }) => deletedAt === undefined);
  const threads = new Set(existing.map((message) => threadOf(placeOf(message))));
  const statuses = [...world.workspaces.values()].flatMap(({ id: team, sessions, statusLines }) => [
    ...[...sessions.values()]
      .filter(({ status }) => status === 'processing')
      .map(({ channel, threadTs }) => ({ team, channel, thread: threadTs })),
    ...[...statusLines.values()]
      .filter(({ status }) => status !== '')
      .map(({ channel, threadTs }) => ({ team, channel, thread: threadTs })),
  ]);
  return statuses.filter((place) => threads.has(threadOf(place)));
}

function closedIn({ world }: FakeSlack): History['closed'] {
  return [...world.workspaces.values()].flatMap(({ id: team, channels, botUser, token }) => {
    const revoked = world.tokens.get(token)?.state !== 'live';
    return [...channels.values()]
      .filter(
        ({ archived, restricted, members }) =>
          revoked || archived || restricted !== undefined || !members.has(botUser),
      )
      .map(({ id: channel }) => ({ team, channel }));
  });
}
