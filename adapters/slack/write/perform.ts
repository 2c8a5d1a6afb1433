/** Makes one call of a reply and returns its outcome. */

import {
  awaitsPerson,
  type Background,
  isPlain,
  type LadderResult,
  type Plain,
  text,
} from '../../../src/kit/ladder.ts';
import { defined, type Log, type ReplyDocument, type Turn } from '../../../src/kit.ts';
import { meanings } from '../api/errors.ts';
import type { Answer, Sender } from '../api/sender.ts';
import { slackMarkdown } from '../render/emit.ts';
import { label } from '../render/escape.ts';
import { closingBlocks, messageOf } from '../render/message.ts';
import { words } from '../render/words.ts';
import { addition, begun, ending, textChunks } from './appended.ts';
import {
  FIXED,
  mark,
  outcomeBeside,
  outcomeOf,
  type Performing,
  type Run,
  renderContextOf,
  streamPlace,
  UNFURLED,
} from './deps.ts';
import { afterMissing, findReply } from './find.ts';
import { type Call, type Emitted, familyOf, type Of, textFamilies } from './screen.ts';
import { activates } from './side-calls.ts';
import { completeUpload, lookAtUpload, sendImage } from './upload.ts';

/** Number of times that an edit is repeated after an error code that does not say whether it took effect. */
const MAX_REPEATS = 2;
/** Number of posts and starts of streams in a row that Slack may fail before the reply ends. They take about a minute. */
const MAX_FAILURES = 8;
const LONGEST_PAUSE_MS = 16_000;

export async function perform(call: Call, at: Performing): Promise<LadderResult> {
  if (call.kind === 'find') return findReply(call, at);
  if (call.kind === 'upload') return sendImage(call, at);
  if (call.kind === 'complete') return completeUpload(call, at);
  if (call.kind === 'look') return lookAtUpload(call, at);
  const opens = call.kind === 'post' || call.kind === 'start';
  // Each earlier attempt was looked up, so none of them posted a message.
  if (call.kind === 'start' && at.run.failures > MAX_REPEATS) return { kind: 'refused', why: 'invalid' };
  if (opens && at.run.failures >= MAX_FAILURES) {
    at.deps.closed?.(at.turn, at.run.error);
    return { kind: 'refused', why: 'gone' };
  }
  const answer = await send(call, { ...at, named: await mayName(at), outside: false });
  if (call.kind === 'status') return outcomeBeside(answer);
  if (answer.kind === 'done') at.run.failures = 0;
  if (opens && answer.kind === 'unknown' && isFailure(answer)) return failed(answer.error, at.run);
  const isHopeless =
    answer.kind === 'unknown' && answer.told && call.kind === 'update' && call.part.failures >= MAX_REPEATS;
  if (isHopeless) return FIXED;
  if (answer.kind !== 'refused') return outcomeOf(answer);
  const { why, error } = answer;
  const { tenant, room } = at.turn.message.thread;
  if (call.kind === 'start' && why === 'unsupported') at.deps.streaming.lacks(tenant);
  if (call.kind === 'start' && !isOfContent(error)) at.deps.streaming.lacks(streamPlace(tenant, room));
  // The person pressed Slack's own Stop, so stop the agent on the platform too.
  if (error === 'stopped_by_user') at.deps.stopped?.(at.turn);
  if (call.kind === 'update' && why === 'gone') return afterMissing(call, at);
  // The simplest form of a message was refused, so the answer cannot be shown.
  const isLast = call.kind === 'post' && call.form === 'plain' && why !== 'rate' && why !== 'gone';
  if (!isLast && why !== 'closed' && why !== 'threadless') return outcomeOf(answer);
  at.deps.closed?.(at.turn, error);
  return { kind: 'refused', why: 'gone' };
}

const isFailure = ({ error, told }: Extract<Answer, { kind: 'unknown' }>): boolean =>
  told === true || error.startsWith('http_5');

/** Returns the outcome of a call that Slack failed to carry out, with a growing pause before it is repeated. */
function failed(error: string, run: Run): LadderResult {
  run.failures += 1;
  run.error = error;
  const retryAfterMs = run.failures > MAX_REPEATS ? Math.min(500 * 2 ** run.failures, LONGEST_PAUSE_MS) : 0;
  return { kind: 'unknown', retryAfterMs };
}

/** Codes about the person who sees a stream grow. They say nothing about the stream's content. */
const OF_RECIPIENT = /^(?:missing_recipient_|user_not_found$|team_not_found$)/;

/** True if a stream with other content might be accepted. */
const isOfContent = (error: string): boolean =>
  meanings.get(error) === 'rate' || (meanings.get(error) === 'invalid' && !OF_RECIPIENT.test(error));

interface Sending extends Performing {
  /** True if the message is posted under the agent's name and icon. */
  readonly named: boolean;
  /** True if the message is posted outside the thread. */
  readonly outside: boolean;
}

async function send(call: Message, at: Sending): Promise<Answer> {
  const { turn, deps, signal, named, outside } = at;
  const { tenant, kind } = turn.message.thread;
  const answer = await deps.sender.call(tenant, methodOf(call), argumentsOf(call, at), signal);
  const isStray = call.kind === 'post' && !outside && answer.kind === 'done' && isUnthreaded(answer.body);
  if (isStray) return removeStray(answer, at);
  if (answer.kind !== 'refused') return answer;
  // The workspace revoked the scope for posting under other names, so post the answer under the app's own name.
  if (named && answer.error === 'missing_scope') return send(call, { ...at, named: false });
  const isStranded = call.kind === 'post' && kind === 'direct' && answer.why === 'threadless' && !outside;
  return isStranded ? send(call, { ...at, outside: true }) : answer;
}

const isUnthreaded = ({ message }: Plain): boolean =>
  isPlain(message) && text(message.ts) !== undefined && text(message.thread_ts) === undefined;

/**
 * Deletes a message that Slack showed in the channel, where it answers nothing: without an error, Slack posts there if
 * the thread's first message was deleted (https://github.com/langchain-ai/open-swe/pull/2753). If the message cannot be
 * deleted now, it counts as posted, so that it is deleted with the question.
 */
async function removeStray(
  posted: Extract<Answer, { kind: 'done' }>,
  { turn, deps, signal }: Sending,
): Promise<Answer> {
  const { tenant, room: channel } = turn.message.thread;
  const removed = await deps.permitted.call(tenant, 'chat.delete', { channel, ts: posted.body.ts }, signal);
  return removed.kind === 'done' ? { kind: 'refused', why: 'gone', error: 'thread_deleted' } : posted;
}

const methodOf = (call: Message): string =>
  call.kind === 'status' ? familyOf(call) : textFamilies[call.kind];

async function mayName({ turn, deps }: Performing): Promise<boolean> {
  const workspace = await deps.workspaces.ofTenant(turn.message.thread.tenant).catch(() => undefined);
  return workspace?.customizes === true;
}

/**
 * Returns the agent's name and icon to show in place of the app's.
 * https://docs.slack.dev/reference/methods/chat.postMessage#authorship
 */
function author({ agent }: ReplyDocument, { named, deps }: Sending): Plain {
  const card = named ? deps.host.agents().find(({ name }) => name === agent) : undefined;
  if (card === undefined) return {};
  const { name: username, icon } = card;
  if (icon === undefined) return { username };
  return icon.startsWith(':') ? { username, icon_emoji: icon } : { username, icon_url: icon };
}

type Message = Exclude<Call, { kind: 'find' | 'upload' | 'complete' | 'look' }>;

function argumentsOf(call: Message, at: Sending): Plain {
  const { turn, deps, reading, named, outside } = at;
  const { room: channel, key: thread_ts } = turn.message.thread;
  switch (call.kind) {
    case 'status':
      return statusArguments(call, turn);
    case 'start':
      return { channel, thread_ts, ...author(call.document, at), ...recipient(turn), ...startContent(call) };
    case 'append':
      return { channel, ts: call.part.id, chunks: appendChunks(call) };
    case 'stop':
      return {
        channel,
        ts: call.part.id,
        ...stopContent(call, at),
        metadata: mark(turn, call.index),
      };
    case 'post': {
      const { document, begin, to, form, screen } = call;
      const context = { ...renderContextOf(document, turn, deps, screen), reading, named };
      const content = messageOf(document, { begin, ...defined({ to }) }, context, form);
      return {
        channel,
        ...(!outside && { thread_ts }),
        ...author(document, at),
        ...content,
        ...QUIET,
        ...UNFURLED,
        metadata: mark(turn, call.index),
      };
    }
    case 'update': {
      const { document, part, to, screen } = call;
      const context = { ...renderContextOf(document, turn, deps, screen), reading, named };
      const content = messageOf(document, { begin: part.begin, ...defined({ to }) }, context, part.form);
      return { channel, ts: part.id, ...content, ...QUIET, metadata: mark(turn, call.index) };
    }
    case 'delete':
      return { channel, ts: call.part.id };
  }
}

/** Keeps Slack from turning names and addresses in the fallback text into links. */
const QUIET = { parse: 'none', link_names: false };

/** Returns the JSON properties with the person who sees a stream grow. Outside direct messages, Slack requires them. */
function recipient({ message: { sender, thread } }: Turn): Plain {
  return { recipient_user_id: sender.id, recipient_team_id: sender.home ?? thread.tenant };
}

function startContent({ document, begin, to }: Of<'start'>): Plain {
  const head = textChunks(slackMarkdown.headOut(document.text, begin));
  return {
    chunks: [...head, ...addition(document, begun(document, begin), to).chunks],
    task_display_mode: 'timeline',
  };
}

function appendChunks({ document, part, to }: Of<'append'>): unknown {
  return part.emitted === undefined ? [] : addition(document, part.emitted, to).chunks;
}

function stopContent(call: Of<'stop'>, { turn, deps, named }: Sending): Plain {
  const { document, screen, part, why, to } = call;
  const last = part.emitted && why !== 'repair' ? addition(document, part.emitted, to) : undefined;
  const chunks = last === undefined ? [] : [...last.chunks, ...ending(document, last.emitted)];
  const used = last?.emitted.chars ?? 0;
  const shows = showsTasks(last?.emitted, document);
  const context = { ...renderContextOf(document, turn, deps, screen), named, showsTasks: shows };
  const blocks = why === 'end' && part.form === 'rich' ? closingBlocks(document, context, used) : [];
  return {
    ...(chunks.length > 0 && { chunks }),
    ...(blocks.length > 0 && { blocks }),
    ...(activates(call) && { session_status: restingStatus(document) }),
  };
}

const showsTasks = (emitted: Emitted | undefined, { steps }: ReplyDocument): boolean =>
  steps.every(({ id }) => emitted?.tasks[id] !== undefined);

/** Returns the status of a session in which no answer is being written. */
const restingStatus = (document: ReplyDocument): string =>
  document.state !== 'withdrawn' && awaitsPerson(document) ? 'suspended' : 'active';

/** Maximum characters of a session's title. */
const TITLE_CHARS = 200;

function statusArguments({ way, on, document }: Of<'status'>, { message }: Turn): Plain {
  const place = { channel_id: message.thread.room, thread_ts: message.thread.key };
  if (way === 'line') return { ...place, status: on ? words.isThinking : '' };
  const question = document.question;
  const title = question === undefined ? {} : { title: label(question, TITLE_CHARS, words.reply) };
  return on ? { ...place, status: 'processing', ...title } : { ...place, status: restingStatus(document) };
}

/**
 * Returns a function for an answer that cannot be shown in its room or thread: it logs that, and tells the asker in a
 * direct message if Slack allows it.
 */
export function createClosedRooms(sender: Sender, background: Background, log: Log, signal: AbortSignal) {
  return ({ id: turn, message: { thread, sender: asker } }: Turn, error: string): void => {
    const { tenant, room, kind } = thread;
    log.warn({ turn, tenant, room, error }, 'Slack accepts no answers in this room any more');
    const where = kind === 'direct' ? 'in our thread' : `in <#${room}>`;
    const text = `I could not show the answer to your question ${where}: ${reasonOf(error)}`;
    const args = { channel: asker.id, text, ...UNFURLED };
    background.run('telling a person that a room is closed', () =>
      sender.call(tenant, 'chat.postMessage', args, signal),
    );
  };
}

function reasonOf(error: string): string {
  const meaning = meanings.get(error);
  if (meaning === 'closed') return 'I am no longer allowed to post there.';
  return meaning === 'threadless' ? 'the thread accepts no replies.' : 'Slack refused it.';
}
