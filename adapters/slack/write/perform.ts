/** Makes one call of a reply and returns its outcome. */

import type { Background } from '../../../src/kit/background.ts';
import { defined, type Plain } from '../../../src/kit/json.ts';
import type { LadderResult, Log, ReplyDocument, Turn } from '../../../src/kit.ts';
import { isClosed } from '../api/errors.ts';
import type { Answer, Sender } from '../api/sender.ts';
import { headOut } from '../render/emit.ts';
import { label } from '../render/escape.ts';
import { closingBlocks, messageOf } from '../render/message.ts';
import { words } from '../render/words.ts';
import { addition, begun, ending, textChunks } from './appended.ts';
import { mark, outcomeOf, type Performing, renderContextOf, UNFURLED } from './deps.ts';
import { findReply } from './find.ts';
import { type Call, type Emitted, familyOf, type Of, textFamilies } from './screen.ts';
import { activates } from './side-calls.ts';
import { completeUpload, lookAtUpload, sendImage } from './upload.ts';

export async function perform(call: Call, at: Performing): Promise<LadderResult> {
  if (call.kind === 'find') return findReply(call, at);
  if (call.kind === 'upload') return sendImage(call, at);
  if (call.kind === 'complete') return completeUpload(call, at);
  if (call.kind === 'look') return lookAtUpload(call, at);
  const { tenant } = at.turn.message.thread;
  const answer = await send(call, { ...at, named: await mayName(at) });
  const isUnsupported = answer.kind === 'refused' && answer.why === 'unsupported';
  if (call.kind === 'start' && isUnsupported) at.deps.streaming.lacks(tenant);
  // The person pressed Slack's own Stop, so stop the agent on the platform too.
  if (answer.kind === 'refused' && answer.error === 'stopped_by_user') at.deps.stopped?.(at.turn);
  const isClosing = answer.kind === 'refused' && answer.why === 'gone' && isClosed(answer.error);
  if (isClosing && call.kind !== 'status') at.deps.closed?.(at.turn, answer.error);
  return outcomeOf(answer);
}

interface Sending extends Performing {
  /** True if the message is posted under the agent's name and icon. */
  readonly named: boolean;
}

async function send(call: Message, at: Sending): Promise<Answer> {
  const { turn, deps, signal, named } = at;
  const { tenant } = turn.message.thread;
  const answer = await deps.sender.call(tenant, methodOf(call), argumentsOf(call, at), signal);
  const isUngranted = answer.kind === 'refused' && answer.error === 'missing_scope';
  // The workspace revoked the scope for posting under other names, so post the answer under the app's own name.
  return named && isUngranted ? send(call, { ...at, named: false }) : answer;
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
  const { turn, deps, reading, named } = at;
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
      const context = { ...renderContextOf(document, turn, deps, screen.images), reading, named };
      const content = messageOf(document, { begin, ...defined({ to }) }, context, form);
      return {
        channel,
        thread_ts,
        ...author(document, at),
        ...content,
        ...QUIET,
        ...UNFURLED,
        metadata: mark(turn, call.index),
      };
    }
    case 'update': {
      const { document, part, to, screen } = call;
      const context = { ...renderContextOf(document, turn, deps, screen.images), reading, named };
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
  const head = textChunks(headOut(document.text, begin));
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
  const chunks = last === undefined ? [] : [...last.chunks, ...ending(last.emitted)];
  const used = last?.emitted.chars ?? 0;
  const shows = showsTasks(last?.emitted, document);
  const context = { ...renderContextOf(document, turn, deps, screen.images), named, showsTasks: shows };
  const blocks = why === 'end' && part.form === 'rich' ? closingBlocks(document, context, used) : [];
  return {
    ...(chunks.length > 0 && { chunks }),
    ...(blocks.length > 0 && { blocks }),
    ...(activates(call) && { session_status: 'active' }),
  };
}

const showsTasks = (emitted: Emitted | undefined, { steps }: ReplyDocument): boolean =>
  steps.every(({ id }) => emitted?.tasks[id] !== undefined);

/** Maximum characters of a session's title. */
const TITLE_CHARS = 200;

function statusArguments({ way, on, document }: Of<'status'>, { message }: Turn): Plain {
  const place = { channel_id: message.thread.room, thread_ts: message.thread.key };
  if (way === 'line') return { ...place, status: on ? words.isThinking : '' };
  const asked = document.question;
  const title = asked === undefined ? {} : { title: label(asked, TITLE_CHARS, words.reply) };
  return on ? { ...place, status: 'processing', ...title } : { ...place, status: 'active' };
}

interface ClosedRoomsDeps {
  readonly sender: Sender;
  readonly background: Background;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Returns a function for a room that no longer accepts the app's messages: it logs that, and tells the asker in a
 * direct message if Slack allows it.
 */
export function createClosedRooms({ sender, background, log, signal }: ClosedRoomsDeps) {
  return ({ id: turn, message: { thread, sender: asker } }: Turn, error: string): void => {
    const { tenant, room } = thread;
    log.warn({ turn, tenant, room, error }, 'Slack accepts no answers in this room any more');
    if (thread.kind === 'direct') return;
    const text = `I could not show the answer to your question in <#${room}>: I am no longer allowed to post there.`;
    const args = { channel: asker.id, text, ...UNFURLED };
    background.run('telling a person that a room is closed', () =>
      sender.call(tenant, 'chat.postMessage', args, signal),
    );
  };
}
