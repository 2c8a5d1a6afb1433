/**
 * Acts of a live check as rows of a table: what the check asks, what the person does, what must arrive, and what the
 * chat must show. A channel brings its rows and a `LiveChat`, with which `actsOf` performs them.
 */

import type { TurnId } from '../core/ids.ts';
import type { Message, Person, ThreadRef } from '../core/message.ts';
import type { ReplyDocument } from '../core/reply.ts';
import { type LiveAct, type LiveCall, type LiveEvent, LiveFault, type LiveStage } from './live.ts';

/** A message that the check itself posted, and the thread of its answers. */
export type LivePost = Pick<Message, 'id' | 'thread'>;

/** Outcome of a call of the check itself. `refused` is undefined if the platform accepted it. */
export type LiveAttempt = Pick<LiveCall, 'refused' | 'retryAfterMs'>;

/** What the acts know about the chat, and do in it. */
export interface LiveChat {
  /** Name of the chat platform, for people. */
  readonly title: string;
  /**
   * Words for instructions. `app`: name of the app. `direct`: where a person writes to the app alone. `followUp`: how a
   * person asks the question `and again` in a thread. `withFile`: where a person attaches a file to the question `hello`.
   * `stop`: the platform's own button that stops a stream.
   */
  readonly words: Readonly<Record<'app' | 'direct' | 'followUp' | 'withFile' | 'stop', string>>;
  /** Limits that the channel assumes. */
  readonly limits: {
    /** The longest text that the channel writes, and a longer one that is tried, in characters. */
    readonly text: readonly [longest: number, longer: number];
    /** The number of edits in a row that are accepted, and the number that is tried. */
    readonly edits: readonly [assumed: number, tried: number];
    /** Window of the rate limit of edits, in milliseconds. */
    readonly editWindowMs: number;
  };
  /** Methods with which the channel edits a message, and continues a stream. */
  readonly methods: Readonly<Record<'edit' | 'stream', string>>;
  /** The person and the places of the first questions; each act with a question sets them. */
  readonly known: { [Kind in ThreadRef['kind']]?: ThreadRef } & { person?: Person };
  /** Posts words in the app's own name, in a new thread if the place has threads. */
  post(stage: LiveStage, place: ThreadRef, words: string): Promise<LivePost>;
  edit(stage: LiveStage, post: LivePost, words: string): Promise<LiveAttempt>;
  remove(stage: LiveStage, post: LivePost): Promise<unknown>;
  /**
   * Resolves with the app's messages in the thread. Each text is the words of a message, a line
   * break, and the JSON of the rest.
   */
  shown(stage: LiveStage, thread: ThreadRef): Promise<readonly string[]>;
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

/** What a person does, and the wait for the event or the call that shows it. */
export interface LiveStep {
  readonly tell: string;
  arrives(stage: LiveStage): Promise<LiveEvent | LiveCall>;
}

export interface LiveRow extends Pick<LiveAct, 'proves' | 'needs' | 'cure'> {
  /**
   * Question that the check asks first, in the name of the person, where the person first asked in a room. Without
   * `steps`, the name of the act by default.
   */
  readonly asks?: string;
  /** Steps of the person, in order; without them, nobody is needed. */
  readonly steps?: readonly LiveStep[];
  /** State in which the answer ends; default: `done`. */
  readonly ends?: 'stopped';
  /** How many messages the thread has more afterwards. */
  readonly adds?: number;
  /** What new or changed messages must contain. */
  readonly shows?: readonly (string | RegExp)[];
  readonly never?: RegExp;
  fits?(messages: readonly string[]): boolean;
  /** How the answer must grow. */
  readonly grows?: keyof LiveChat['methods'];
  /** The number of versions that the answer must have. */
  readonly versions?: number;
}

/** Rows by the names of the acts, in the order of the acts. */
export type LiveRows = Readonly<Record<string, LiveRow>>;

/** The first act, whose place and person the questions of the check need. */
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

interface Acting {
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

async function perform(asks: string | undefined, acting: Acting): Promise<void> {
  const { row, stage } = acting;
  const before = await shownBefore(acting);
  let question = asks === undefined ? undefined : await ask(asks, acting);
  // The person presses Stop while the answer grows, and everything else when the answer is complete.
  if (question !== undefined && row.ends === undefined) await stage.reply(question.turn, question.thread);
  for (const { tell, arrives } of row.steps ?? []) {
    stage.instruct(tell);
    question = questionOf(await arrives(stage), acting) ?? question;
  }
  if (question === undefined) return;
  if (question.turn !== undefined) await verifyReply(question, acting);
  await verifyShown(question.thread, before.get(question.thread.key) ?? [], acting);
}

/** Resolves with the messages of the known threads, by their keys. */
async function shownBefore({ chat, stage }: Acting): Promise<ReadonlyMap<string, readonly string[]>> {
  const { room, direct, group } = chat.known;
  const before = new Map<string, readonly string[]>();
  for (const thread of [room, direct, group])
    if (thread !== undefined) before.set(thread.key, await chat.shown(stage, thread));
  return before;
}

/**
 * Posts a question in the app's own name, and asks it in the name of the person, because an app cannot write as a
 * person.
 */
async function ask(text: string, { chat, stage }: Acting): Promise<Question> {
  const { person: sender, room } = chat.known;
  if (room === undefined || sender === undefined) throw new LiveFault('No room is known.');
  const { id, thread } = await chat.post(stage, room, `Question of the live check: ${text}`);
  const at = stage.clock.now();
  const message: Message = { id, thread, sender, text, sentAt: at, revision: 0, quoted: [], files: [] };
  return { thread, turn: await stage.ask(message), at };
}

/** Returns undefined for a call, and for a press that asks nothing. */
function questionOf(arrived: LiveEvent | LiveCall, { chat, stage }: Acting): Question | undefined {
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

async function verifyReply({ turn, thread, at: began }: Question, acting: Acting): Promise<void> {
  const { ends = 'done', grows, versions = 1 } = acting.row;
  const reply = await acting.stage.reply(turn, thread);
  const calls = acting.stage.calls().filter(({ at }) => at >= began);
  measureBeginning(reply, began, calls, acting);
  if (grows !== undefined) verifyGrowth(acting.chat.methods[grows], calls, acting);
  if (reply.state !== ends) throw new LiveFault(`The answer ended in the state "${reply.state}".`);
  const count = reply.editions?.count ?? 1;
  if (count !== versions) throw new LiveFault(`The answer has ${count} versions, not ${versions}.`);
}

type Calls = readonly LiveCall[];

/** Measures when the first call of the answer, and the first with words of the agent, was accepted. */
function measureBeginning({ text }: ReplyDocument, began: number, calls: Calls, { stage }: Acting): void {
  const [word] = /\w+/.exec(text) ?? [];
  const [sign, ...others] = calls.filter(({ refused }) => refused === undefined);
  if (sign === undefined) return;
  stage.measure('first sign of the answer, ms', Math.round(sign.at - began));
  const first = [sign, ...others].find(({ args }) => word && JSON.stringify(args).includes(word));
  if (first !== undefined) stage.measure('first text of the answer, ms', Math.round(first.at - began));
}

function verifyGrowth(by: string, calls: Calls, { chat, stage }: Acting): void {
  const made = calls.filter(({ method }) => method === by);
  const gaps = made.slice(1).map(({ at }, index) => at - (made[index]?.at ?? at));
  stage.measure(`calls of ${by}`, made.length);
  if (gaps.length > 0)
    stage.measure(`shortest time between calls of ${by}, ms`, Math.round(Math.min(...gaps)));
  const [refused] = made.flatMap((call) => call.refused ?? []);
  if (refused !== undefined) throw new LiveFault(`${chat.title} refused ${by}: ${refused}.`);
  if (made.length < 2) throw new LiveFault('The answer did not grow.');
}

/** True unless the message is only a card beside another message. */
const hasWords = (message: string): boolean => !message.startsWith('\n');

async function verifyShown(
  thread: ThreadRef,
  before: readonly string[],
  { row, chat, stage }: Acting,
): Promise<void> {
  const { adds, shows = [], never, fits } = row;
  if (adds === undefined && shows.length === 0 && never === undefined && fits === undefined) return;
  const look = async () => {
    const after = await chat.shown(stage, thread);
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
