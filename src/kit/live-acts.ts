/**
 * Acts of a live check as rows of a table: the question that the check asks, the steps of the person, and what the chat
 * must show afterwards. A channel brings its rows and a `LiveChat`, with which `actsOf` performs them.
 */

import type { TurnId } from '../core/ids.ts';
import type { Message, Person, ThreadRef } from '../core/message.ts';
import type { ReplyDocument } from '../core/reply.ts';
import { type LiveAct, type LiveCall, type LiveEvent, LiveFault, type LiveStage } from './live.ts';

/** A message that the check itself posted, and the thread of its answers. */
export type LivePost = Pick<Message, 'id' | 'thread'>;

/** Outcome of a call of the check itself. `refused` is undefined if the platform accepted it. */
export type LiveAttempt = Pick<LiveCall, 'refused' | 'retryAfterMs'>;

/** The chat platform in a live check: its limits and words, the places of the check, and calls of the check itself. */
export interface LiveChat {
  /** Name of the chat platform, for people. */
  readonly title: string;
  /**
   * Words for instructions. `app`: the name of the app. `direct`: the place where a person writes to the app alone.
   * `followUp`: the instruction to ask `and again` in a thread. `withFile`: the instruction to ask `hello`, to which the
   * row adds the file. `stop`: the platform's own button that stops a stream.
   */
  readonly words: Readonly<Record<'app' | 'direct' | 'followUp' | 'withFile' | 'stop', string>>;
  /** Limits that the channel assumes. */
  readonly limits: {
    /** Length of the longest text that the channel writes, and of a longer text that the check tries, in characters. */
    readonly text: readonly [longest: number, longer: number];
    /** Number of edits in a row that the channel expects to be accepted, and maximum number that the check tries. */
    readonly edits: readonly [assumed: number, tried: number];
    /** Window of the rate limit of edits, in milliseconds. */
    readonly editWindowMs: number;
  };
  /** Methods with which the channel edits a message, and continues a stream. */
  readonly methods: Readonly<Record<'edit' | 'stream', string>>;
  /** The first person who asked, and the first place of each kind in which a person asked. */
  readonly known: { [Kind in ThreadRef['kind']]?: ThreadRef } & { person?: Person };
  /** Posts words in the app's own name, in a new thread if the place has threads. */
  post(stage: LiveStage, place: ThreadRef, words: string): Promise<LivePost>;
  edit(stage: LiveStage, post: LivePost, words: string): Promise<LiveAttempt>;
  remove(stage: LiveStage, post: LivePost): Promise<unknown>;
  /**
   * Resolves with the app's messages in the thread. Each text consists of the words of a message, a line break, and the
   * JSON of the rest.
   */
  messages(stage: LiveStage, thread: ThreadRef): Promise<readonly string[]>;
  /** Begins a stream with some words in a direct chat. */
  stream(stage: LiveStage, thread: ThreadRef): Promise<LiveStream>;
}

export interface LiveStream {
  append(words: string): Promise<LiveAttempt>;
  /**
   * Ends the stream, and deletes its message. If the platform has ended the stream, edits the message instead. The
   * signal of `stage` is another one than that of the act.
   */
  end(stage: LiveStage): Promise<LiveAttempt>;
}

/** An instruction to a person, and the wait for the event or the call that shows that the person followed it. */
export interface LiveStep {
  readonly instruction: string;
  wait(stage: LiveStage): Promise<LiveEvent | LiveCall>;
}

export interface LiveRow extends Pick<LiveAct, 'proves' | 'needs' | 'cure'> {
  /**
   * Question that the check asks first, in the name of the person, in the room of the person's first question. Default
   * for a row without `steps`: the name of the act.
   */
  readonly asks?: string;
  /** Steps of the person, in order. An act without steps needs no person. */
  readonly steps?: readonly LiveStep[];
  /** State in which the answer ends; default: `done`. */
  readonly ends?: 'stopped';
  /** Number of messages that the act adds to the thread; -1 if it deletes one. */
  readonly adds?: number;
  /** Texts and patterns that the new or changed messages must contain. */
  readonly shows?: readonly (string | RegExp)[];
  /** Pattern that the new or changed messages must not contain. */
  readonly never?: RegExp;
  /** @param messages the new or changed messages */
  fits?(messages: readonly string[]): boolean;
  /** The method by which the answer must grow. */
  readonly grows?: keyof LiveChat['methods'];
  /** The number of versions that the answer must have. */
  readonly versions?: number;
}

/** Rows by the names of the acts, in the order of the acts. */
export type LiveRows = Readonly<Record<string, LiveRow>>;

/** The act that makes known the room and the person of the check's own questions. */
const FIRST = 'mention';

/** Returns the acts of the rows. */
export const actsOf = (chat: LiveChat, rows: LiveRows): readonly LiveAct[] =>
  Object.entries(rows).map(([name, row]) => {
    const asks = row.asks ?? (row.steps ? undefined : name);
    return {
      ...row,
      name,
      by: row.steps ? 'person' : 'tool',
      needs: [...(asks === undefined ? [] : [FIRST]), ...(row.needs ?? [])],
      perform: (stage) => perform(asks, { row, chat, stage }),
    };
  });

interface ActContext {
  readonly row: LiveRow;
  readonly chat: LiveChat;
  readonly stage: LiveStage;
}

/** The newest question of an act. */
interface Question {
  readonly thread: ThreadRef;
  readonly turn: TurnId | undefined;
  readonly at: number;
}

async function perform(asks: string | undefined, context: ActContext): Promise<void> {
  const { row, stage } = context;
  const before = await messagesBefore(context);
  let question = asks === undefined ? undefined : await ask(asks, context);
  // The person presses Stop while the answer grows, and everything else when the answer is complete.
  if (question !== undefined && row.ends === undefined) await stage.reply(question.turn, question.thread);
  for (const { instruction, wait } of row.steps ?? []) {
    stage.instruct(instruction);
    question = questionOf(await wait(stage), context) ?? question;
  }
  if (question === undefined) return;
  if (question.turn !== undefined) await verifyReply(question, context);
  await verifyMessages(question.thread, before.get(question.thread.key) ?? [], context);
}

/** Resolves with the messages of the known threads, by their keys. */
async function messagesBefore({ chat, stage }: ActContext): Promise<ReadonlyMap<string, readonly string[]>> {
  const { room, direct, group } = chat.known;
  const before = new Map<string, readonly string[]>();
  for (const thread of [room, direct, group])
    if (thread !== undefined) before.set(thread.key, await chat.messages(stage, thread));
  return before;
}

/**
 * Posts a question in the app's own name, and asks it in the name of the person, because an app cannot write as a
 * person.
 */
async function ask(text: string, { chat, stage }: ActContext): Promise<Question> {
  const { person: sender, room } = chat.known;
  if (room === undefined || sender === undefined) throw new LiveFault('No room is known.');
  const { id, thread } = await chat.post(stage, room, `Question of the live check: ${text}`);
  const at = stage.clock.now();
  const message: Message = { id, thread, sender, text, sentAt: at, revision: 0, quoted: [], files: [] };
  return { thread, turn: await stage.ask(message), at };
}

/** Returns the question of an event. Returns undefined for a call, and for an event without a question. */
function questionOf(arrived: LiveEvent | LiveCall, { chat, stage }: ActContext): Question | undefined {
  if (!('event' in arrived)) return undefined;
  const { event, turn, at } = arrived;
  if (event.kind === 'delete') return { thread: event.thread, turn, at };
  if (event.kind !== 'ask' && event.kind !== 'edit') return undefined;
  const { thread, sender, sentAt } = event.message;
  chat.known[thread.kind] ??= thread;
  chat.known.person ??= sender;
  if (event.kind === 'ask' && event.origin.kind === 'message')
    stage.measure('event after the message, ms by two clocks', Math.round(at - sentAt));
  return { thread, turn, at };
}

async function verifyReply({ turn, thread, at: began }: Question, context: ActContext): Promise<void> {
  const { ends = 'done', grows, versions = 1 } = context.row;
  const reply = await context.stage.reply(turn, thread);
  const calls = context.stage.calls().filter(({ at }) => at >= began);
  measureBeginning(reply, began, calls, context);
  if (grows !== undefined) verifyGrowth(context.chat.methods[grows], calls, context);
  if (reply.state !== ends) throw new LiveFault(`The answer ended in the state "${reply.state}".`);
  const count = reply.editions?.count ?? 1;
  if (count !== versions) throw new LiveFault(`The answer has ${count} versions, not ${versions}.`);
}

type Calls = readonly LiveCall[];

/** Measures when the first call of the answer, and the first with words of the agent, was accepted. */
function measureBeginning({ text }: ReplyDocument, began: number, calls: Calls, { stage }: ActContext): void {
  const [word] = /[\p{L}\p{N}]+/u.exec(text) ?? [];
  const [sign, ...others] = calls.filter(({ refused }) => refused === undefined);
  if (sign === undefined) return;
  stage.measure('first sign of the answer, ms', Math.round(sign.at - began));
  const first = [sign, ...others].find(({ args }) => word && JSON.stringify(args).includes(word));
  if (first !== undefined) stage.measure('first text of the answer, ms', Math.round(first.at - began));
}

function verifyGrowth(by: string, calls: Calls, { chat, stage }: ActContext): void {
  const growing = calls.filter(({ method }) => method === by);
  const gaps = growing.slice(1).map(({ at }, index) => at - (growing[index]?.at ?? at));
  stage.measure(`calls of ${by}`, growing.length);
  if (gaps.length > 0)
    stage.measure(`shortest time between calls of ${by}, ms`, Math.round(Math.min(...gaps)));
  const [refused] = growing.flatMap((call) => call.refused ?? []);
  if (refused !== undefined) throw new LiveFault(`${chat.title} refused ${by}: ${refused}.`);
  if (growing.length < 2) throw new LiveFault('The answer did not grow.');
}

/** True unless the message is only a card beside another message. */
const hasWords = (message: string): boolean => !message.startsWith('\n');

async function verifyMessages(
  thread: ThreadRef,
  before: readonly string[],
  { row, chat, stage }: ActContext,
): Promise<void> {
  const { adds, shows = [], never, fits } = row;
  if (adds === undefined && shows.length === 0 && never === undefined && fits === undefined) return;
  const look = async () => {
    const after = await chat.messages(stage, thread);
    const news = after.filter((message) => !before.includes(message));
    const content = news.join('\n');
    const isShown =
      (adds === undefined || after.filter(hasWords).length - before.filter(hasWords).length === adds) &&
      shows.every((part) => (typeof part === 'string' ? content.includes(part) : part.test(content))) &&
      never?.test(content) !== true &&
      (fits?.(news) ?? true);
    return isShown || undefined;
  };
  await stage.until(look, `The messages of the answer in ${chat.title} are not as expected.`);
}
