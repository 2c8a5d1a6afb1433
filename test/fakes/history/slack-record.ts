/** A run through Slack. */

import type { CallRecord, FakeSlack, Message } from '../slack/index.ts';
import {
  type Called,
  type History,
  type Place,
  type Question,
  type Seen,
  type Shown,
  wordsOf,
} from './kept.ts';
import { sayingsIn } from './saying.ts';

export function slackRecord(slack: FakeSlack): Seen {
  const messages = [...slack.world.workspaces.values()].flatMap(({ channels }) =>
    [...channels.values()].flatMap((channel) => channel.messages),
  );
  return {
    questions: messages.flatMap(questionIn),
    shown: messages.filter(({ app, onlyFor }) => app && onlyFor === undefined).map(shownIn),
    calls: calledIn(slack, messages),
    thinking: thinkingIn(slack),
    closed: closedIn(slack),
    violations: slack.log.violations.map((each) => JSON.stringify(each)),
  };
}

const placeOf = ({ team, channel, threadTs, ts }: Message): Place => ({
  team,
  channel,
  thread: threadTs ?? ts,
});

function questionIn(message: Message): readonly Question[] {
  if (message.app) return [];
  const said = [...message.history.map(({ text }) => text), message.text];
  const sayings = said.flatMap((text) => sayingsIn(text).at(-1) ?? []);
  if (sayings.length === 0) return [];
  const { ts, deletedAt, reactions } = message;
  const waits = (reactions.get('hourglass_flowing_sand')?.size ?? 0) > 0;
  return [{ ...placeOf(message), ts, sayings, waits, ...(deletedAt !== undefined && { deletedAt }) }];
}

function shownIn(message: Message): Shown {
  const { markdown = '', blocks, text, metadata, stream, deletedAt, ts } = message;
  const said = blocks.filter(isAnswer).map((block) => String(block.text));
  const plain = blocks.length === 0 && markdown === '' ? unescaped(text) : '';
  const payload = metadata?.event_payload as { turn: string; part: number } | undefined;
  const rest = JSON.stringify(blocks.filter((block) => !isAnswer(block)));
  return {
    ...placeOf(message),
    ts,
    ...(payload !== undefined && { mark: { turn: payload.turn, part: payload.part } }),
    names: [...new Set([...rest.matchAll(/ \/(\d{10}\.\d{6}) /g)].map(([, name = '']) => name))],
    words: wordsOf(markdown) + said.map(wordsOf).join('') + wordsOf(plain),
    beside: rest,
    live: stream?.state === 'live',
    ...(deletedAt !== undefined && { deletedAt }),
  };
}

const isAnswer = ({ type, text }: Readonly<Record<string, unknown>>): boolean =>
  type === 'markdown' && !String(text).startsWith('**Sources**');

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const keyOf = ({ team, channel, ts }: { team: string; channel: string; ts: string }): string =>
  `${team} ${channel} ${ts}`;

function calledIn({ log }: FakeSlack, messages: readonly Message[]): readonly Called[] {
  const threads = new Map(messages.map((message) => [keyOf(message), placeOf(message)]));
  return log.calls.map((call) => {
    const ts = String(call.answer?.ts ?? call.args.ts ?? '');
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
      said: JSON.stringify(call.args),
    };
  });
}

/** A call that took effect counts as done, even if its answer was lost. */
const answered = ({ answer }: CallRecord) => ({
  ok: answer?.ok === true,
  error: answer === undefined || answer.ok === true ? '' : String(answer.error),
});

function thinkingIn({ world }: FakeSlack): readonly Place[] {
  return [...world.workspaces.values()].flatMap(({ id: team, sessions, statusLines }) => [
    ...[...sessions.values()]
      .filter(({ status }) => status === 'processing')
      .map(({ channel, threadTs }) => ({ team, channel, thread: threadTs })),
    ...[...statusLines.values()]
      .filter(({ status }) => status !== '')
      .map(({ channel, threadTs }) => ({ team, channel, thread: threadTs })),
  ]);
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
