/**
 * The chat of a live check. A bot cannot read the messages of Teams without the consent of an owner, so the check looks
 * at what Teams has accepted.
 */

import {
  createCallRecord,
  type LiveAttempt,
  type LiveChat,
  LiveFault,
  type LiveStage,
  type LiveStream,
  type Plain,
  plain,
  plains,
  text,
} from '../../../src/kit/ladder.ts';
import type { Clock, ThreadRef } from '../../../src/kit.ts';
import type { Connector, Sent } from '../api/connector.ts';
import type { TeamsConfig } from '../config.ts';
import { activityOf, messageId, readConversation } from '../ids.ts';
import { STREAM_GAP_MS, sending } from '../limits.ts';
import { conversationOf } from '../private.ts';
import { MESSAGE_UNITS } from '../render/message.ts';

/**
 * Pause before a message of the check, in milliseconds. The adapter's rate limits do not count such a message, so the
 * pause keeps it out of the window of the adapter's last calls.
 */
const POST_GAP_MS = 4_000;
/** A text above the documented 100 KB (51,200 UTF-16 units), in characters. */
const TOO_LONG = 60_000;
/** Edits after which the measurement ends, if Teams has refused none. */
const MOST_EDITS = 30;
/** Longest window of Teams' rate limit that the measurement can fill, in milliseconds. */
const WINDOW_MS = 30_000;

/** The address and the activity of the adapter's last message in a room. */
type LastSent = readonly [where: Parameters<Connector['send']>[0], activity: Plain];

const LIMITS: LiveChat['limits'] = {
  text: [MESSAGE_UNITS, TOO_LONG],
  edits: [sending.windows[0]?.calls ?? 0, MOST_EDITS],
  editWindowMs: WINDOW_MS,
};

const wordsOf = (name: string): LiveChat['words'] => ({
  app: name,
  direct: `your chat with ${name}`,
  followUp: `In the thread of your first message, write: @${name} and again`,
  withFile: `In your chat with ${name}, write "hello"`,
  stop: "Teams' own Stop",
});

/** Records the adapter's calls, and its last message in each room. */
function createRecord(clock: Clock) {
  const { calls, make } = createCallRecord(clock);
  const last = new Map<string, LastSent>();
  let connector: Connector | undefined;

  /** Returns a connector that records calls which send, edit or delete a message. The check's own calls use `given`. */
  function watch(given: Connector): Connector {
    connector = given;
    const record = (method: string, where: Addressed, activity: object, call: () => Promise<Sent>) =>
      make(call, (sent) => ({ method, args: argsOf(where, activity, sent), ...attemptOf(sent) }));
    return {
      ...given,
      send(where, activity, signal) {
        last.set(readConversation(where.conversation).room, [where, plain(activity)]);
        return record(nameOf(plain(activity)), where, activity, () => given.send(where, activity, signal));
      },
      update: (where, activity, signal) =>
        record('update', where, activity, () => given.update(where, activity, signal)),
      delete: (where, signal) => record('delete', where, {}, () => given.delete(where, signal)),
    };
  }

  /** Returns the address of a room, and the properties that every activity of the bot in it must have. */
  function placeOf({ room }: Pick<ThreadRef, 'room'>) {
    const [place, { channelId, from, recipient, conversation } = {}] = last.get(room) ?? [];
    if (place === undefined || connector === undefined) throw new LiveFault('No room is known.');
    const where = { serviceUrl: place.serviceUrl, conversation: room };
    const whole = { ...plain(conversation), id: room };
    return { connector, where, envelope: { channelId, from, recipient, conversation: whole } };
  }
  return { watch, calls, placeOf };
}

type Place = ReturnType<ReturnType<typeof createRecord>['placeOf']>;

export function createTeamsChat({ name }: TeamsConfig, clock: Clock) {
  const { watch, calls, placeOf } = createRecord(clock);
  const chat: LiveChat = {
    title: 'Teams',
    words: wordsOf(name),
    limits: LIMITS,
    methods: { edit: 'update', stream: 'stream' },
    known: {},
    async post(stage, place, words) {
      await stage.clock.wait(POST_GAP_MS, stage.signal);
      const { connector, where, envelope } = placeOf(place);
      const sent = await connector.send(where, { type: 'message', text: words, ...envelope }, stage.signal);
      const id = idOf(sent, 'a message');
      const thread = place.kind === 'room' ? { ...place, key: id } : place;
      return { id: messageId(place.room, id), thread };
    },
    async edit(stage, { id, thread }, words) {
      const { connector, where, envelope } = placeOf(thread);
      const activity = { type: 'message', text: words, ...envelope };
      return attemptOf(await connector.update({ ...where, id: activityOf(id) }, activity, stage.signal));
    },
    async remove(stage, { id, thread }) {
      const { connector, where } = placeOf(thread);
      return connector.delete({ ...where, id: activityOf(id) }, stage.signal);
    },
    async messages(_stage, thread) {
      const { conversation } = conversationOf(thread);
      const messages = new Map<unknown, Plain>();
      for (const { method, args, refused } of calls) {
        if (refused !== undefined || args.thread !== conversation) continue;
        if (method === 'delete') messages.delete(args.id);
        else if (method !== 'typing') messages.set(args.id, args);
      }
      return [...messages.values()].map(contentOf);
    },
    stream: (stage, thread) => openStream(chat, placeOf(thread), thread, stage),
  };
  return { chat, watch, calls };
}

async function openStream(
  chat: LiveChat,
  { connector, where, envelope }: Place,
  thread: ThreadRef,
  stage: LiveStage,
): Promise<LiveStream> {
  let [written, sequence] = ['Measurement', 1];
  const send = (type: string, words: string, info: Plain, { signal }: LiveStage) => {
    const entities = [{ type: 'streaminfo', ...info }];
    return connector.send(where, { type, text: words, entities, ...envelope }, signal);
  };
  const first = { streamType: 'streaming', streamSequence: 1 };
  await stage.clock.wait(STREAM_GAP_MS, stage.signal);
  const streamId = idOf(await send('typing', written, first, stage), 'a stream');
  const post = { id: messageId(thread.room, streamId), thread };
  return {
    async append(words) {
      const info = { streamId, streamType: 'streaming', streamSequence: sequence + 1 };
      const attempt = attemptOf(await send('typing', written + words, info, stage));
      if (attempt.refused === undefined) [written, sequence] = [written + words, sequence + 1];
      return attempt;
    },
    async end(last) {
      await last.clock.wait(STREAM_GAP_MS, last.signal);
      const ended = attemptOf(await send('message', written, { streamId, streamType: 'final' }, last));
      const attempt = ended.refused === undefined ? ended : await chat.edit(last, post, written);
      await chat.remove(last, post);
      return attempt;
    },
  };
}

function idOf(sent: Sent, what: string): string {
  if (sent.kind === 'done' && sent.id !== undefined) return sent.id;
  throw new LiveFault(`Teams refused ${what}: ${attemptOf(sent).refused ?? 'it returned no id'}.`);
}

/** Error codes that evidence may contain; another text may contain anything. */
const CODE = /^\w{1,60}$/;

function attemptOf(sent: Sent): LiveAttempt {
  if (sent.kind === 'done') return { refused: undefined, retryAfterMs: undefined };
  if (sent.kind !== 'refused') return { refused: sent.reason, retryAfterMs: undefined };
  const { status, code, retryAfterMs } = sent;
  return { refused: CODE.test(code) ? `${status} ${code}` : String(status), retryAfterMs };
}

const streamIn = ({ entities }: Plain): Plain | undefined =>
  plains(entities).find(({ type }) => type === 'streaminfo');

function nameOf(activity: Plain): string {
  const isTyping = activity.type === 'typing';
  if (streamIn(activity) === undefined) return isTyping ? 'typing' : 'send';
  return isTyping ? 'stream' : 'final';
}

/** Address of a message, or of a conversation. */
interface Addressed {
  readonly conversation: string;
  readonly id?: string;
}

/** Returns the activity with its conversation and the id of its message. */
function argsOf({ conversation: thread, id }: Addressed, activity: object, sent: Sent): Plain {
  const known = streamIn(plain(activity))?.streamId ?? id;
  return { ...activity, thread, id: known ?? (sent.kind === 'done' ? sent.id : undefined) };
}

/** Returns the words of a message, a line break, and the JSON of the rest. */
const contentOf = ({ text: words, entities, attachments, suggestedActions }: Plain): string =>
  `${text(words) ?? ''}\n${JSON.stringify({ entities, attachments, suggestedActions })}`;
