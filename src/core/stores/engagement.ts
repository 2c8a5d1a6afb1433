/**
 * Decides whether a message that does not mention the bridge is a question. For that, remembers of each thread who asked
 * there, and who has written since the last answer. Stores only ids and times.
 */

import type { MentionRule } from '../agents/access.ts';
import type { ThreadRef } from '../message.ts';
import { addressedIn } from './addressed.ts';
import { type Keyed, ownerIn } from './keyed.ts';

/** A message that does not mention the bridge. */
export interface Overheard {
  readonly thread: ThreadRef;
  /** Id of the person who wrote it. Messages of bots must not be passed on. */
  readonly by: string;
  /** The channel's own time of the message, in milliseconds. Events may arrive in another order. */
  readonly at: number;
  readonly text: string;
  /** True if the message has files, quotes or forwarded messages. Animated images do not count. */
  readonly hasMore: boolean;
  /** Set if the message mentions somebody else: at its beginning, or later. */
  readonly other?: 'first' | 'later' | undefined;
  /**
   * `start`: the message starts a thread, or belongs to none. `chat`: the chat has no threads, so the whole chat counts
   * as one, but only for a short time after a question.
   */
  readonly place: 'start' | 'thread' | 'chat';
}

/** What is known about a thread in which somebody asked. */
export interface Engaged {
  /** Ids of the people who asked. Absent in values of older versions, where every person counts. */
  readonly askers?: readonly string[];
  /** Time of the newest question. */
  readonly last?: number;
  /** The first messages since the last answer, of at most two people. */
  readonly talk?: readonly Talk[];
  /** The rule that a person chose for the thread with `listen` or `quiet`. */
  readonly rule?: ThreadChoice;
}

export type ThreadChoice = Extract<MentionRule, 'always' | 'mention'>;

interface Talk {
  /** Id of the person; empty if the message was for somebody else, so that it also counts for its author. */
  readonly by: string;
  readonly at: number;
}

interface Question {
  readonly by: string;
  /** The channel's own time of the message; absent for a press, whose time is that of the bridge's clock. */
  readonly at?: number;
  readonly rule?: ThreadChoice | undefined;
}

/** Maximum number of askers that are remembered in one thread. The person who asked longest ago is dropped first. */
const MAX_ASKERS = 20;
/** Maximum number of people whose messages are remembered: of two people, at least one is not the author of a later message. */
const MAX_TALKERS = 2;
/** Milliseconds after a question in which a chat without threads may continue it without a mention. */
const CHAT_MS = 10 * 60_000;

/** Returns the state of the thread after a question; the same object if the question is known already. */
export function asked(before: Engaged, { by, at, rule }: Question): Engaged {
  const { askers = [], last = Number.NEGATIVE_INFINITY, talk = [] } = before;
  const all = askers.at(-1) === by ? askers : [...askers.filter((each) => each !== by), by];
  const people = { ...before, askers: all.slice(-MAX_ASKERS) };
  // A repeated event must not count as a new message: its answer may have been given already.
  if (at === undefined || at <= last) return askers.includes(by) ? before : people;
  return { ...people, last: at, talk: withTalk(talk, { by, at }), ...(rule !== undefined && { rule }) };
}

/** Returns the state of the thread after an answer: each person who asked may ask again without a mention. */
export function answered(before: Engaged): Engaged {
  return before.talk === undefined || before.talk.length === 0 ? before : { ...before, talk: [] };
}

interface Decision {
  readonly isQuestion: boolean;
  /** The state of the thread after the message; the same object if nothing changed. */
  readonly engaged: Engaged | undefined;
}

/** Names that people use for the bridge whatever the app is called. */
const OWN_NAMES = ['parley', 'bot', 'assistant'];

/**
 * Returns whether the message is a question, and the thread's state after it: a message that is no question is recorded,
 * because it shows that people talk with each other.
 * @param own names of the app and its agents, in lower case
 */
export function decide(
  message: Overheard,
  rule: MentionRule,
  engaged: Engaged | undefined,
  own: readonly string[] = [],
): Decision {
  const { thread, text, hasMore, place, at, other } = message;
  if (thread.kind === 'direct') return { isQuestion: hasMore || hasWords(text), engaged };
  const isFresh = place !== 'chat' || at - (engaged?.last ?? 0) < CHAT_MS;
  const here = place === 'start' ? rule : (engaged?.rule ?? rule);
  const begins = addressedIn(text, [...OWN_NAMES, ...own]);
  const isPlain = begins === 'typed' || (begins === 'name' && here === 'alone');
  const forOther = other === 'first' || isPlain || (other === 'later' && here === 'alone');
  const says = hasWords(text) && !forOther;
  if (here === 'open') return { isQuestion: says || (hasMore && !forOther), engaged };
  if (here === 'mention' || place === 'start' || engaged === undefined || !isFresh)
    return { isQuestion: false, engaged };
  if (here === 'always') return { isQuestion: says, engaged };
  if (says && isAlone(message, engaged)) return { isQuestion: true, engaged };
  return { isQuestion: false, engaged: withoutQuestion(engaged, { by: forOther ? '' : message.by, at }) };
}

/** A message of a thread that was read from the channel. */
export type Replayed =
  | { readonly kind: 'answer' }
  | ({ readonly kind: 'question' } & Question)
  | ({ readonly kind: 'heard' } & Overheard);

/** Returns, for each message of a thread from the oldest, true if it was a question. */
export function questionsIn(messages: readonly Replayed[], rule: MentionRule): readonly boolean[] {
  let engaged: Engaged | undefined;
  return messages.map((message) => {
    if (message.kind === 'answer') engaged &&= answered(engaged);
    if (message.kind === 'answer') return false;
    const heard = message.kind === 'heard' ? decide(message, rule, engaged) : { isQuestion: true, engaged };
    engaged = heard.isQuestion ? asked(heard.engaged ?? {}, message) : heard.engaged;
    return heard.isQuestion;
  });
}

/** True if the person asked in the thread, and nobody else has written since the last answer. */
function isAlone({ by, at }: Overheard, { askers, talk = [] }: Engaged): boolean {
  return askers?.includes(by) !== false && talk.every((each) => each.by === by || each.at > at);
}

/** Records a message that is no question. Ignores it if it is older than the newest question, whose answer came after it. */
function withoutQuestion(engaged: Engaged, question: Talk): Engaged {
  const { last = 0, talk = [] } = engaged;
  const now = question.at < last ? talk : withTalk(talk, question);
  return now === talk ? engaged : { ...engaged, talk: now };
}

/** Records a message unless an earlier one of the same person is recorded. */
function withTalk(talk: readonly Talk[], entry: Talk): readonly Talk[] {
  if (talk.some(({ by, at }) => by === entry.by && at <= entry.at)) return talk;
  const all = [...talk.filter(({ by }) => by !== entry.by), entry];
  const first = all.toSorted((one, other) => one.at - other.at).slice(0, MAX_TALKERS);
  return first.includes(entry) ? first : talk;
}

/** Matches what is not a word: spaces, emoji, names of emoji such as `:tada:`, and smileys. */
const WORDLESS =
  /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{e0020}-\u{e007f}\s]|\u200d|\ufe0f|[\d#*]\ufe0f?\u20e3|:[a-z][\w+'-]{0,60}:|:[+-]1:|[:;][-']?[()DPp](?!\w)/gu;

/** True if the text contains more than emoji. */
export const hasWords = (text: string): boolean => text.replace(WORDLESS, '') !== '';

/**
 * Milliseconds for which a thread is remembered after its last message: 30 days. The conversation with the agent is
 * remembered for the same time.
 */
const ENGAGED_MS = 30 * 24 * 60 * 60_000;

export type Engagement = ReturnType<typeof createEngagement>;

/**
 * @param state the state of the thread's channel
 * @param names returns the names of the app and its agents
 */
export function createEngagement(
  state: Pick<Keyed, 'get' | 'change'>,
  names: () => readonly string[] = () => [],
) {
  const keyOf = ({ tenant, room, key }: ThreadRef) => `engaged ${tenant} ${room} ${key}`;
  /** Writes only if `next` changes the state. */
  const change = async (thread: ThreadRef, next: (before: unknown) => Engaged | undefined) => {
    await state.change(keyOf(thread), next, ENGAGED_MS, ownerIn(thread));
  };
  return {
    /** True if somebody asked in the thread. */
    has: async (thread: ThreadRef) => read(await state.get(keyOf(thread))) !== undefined,
    /** True if the message is a question. Otherwise records it if it matters for later messages. */
    async isQuestion(message: Overheard, rule: MentionRule) {
      const { thread, place } = message;
      const found =
        place === 'start' || thread.kind === 'direct' ? undefined : read(await state.get(keyOf(thread)));
      const own = names().map((name) => name.toLowerCase());
      const { isQuestion, engaged } = decide(message, rule, found, own);
      if (engaged !== found)
        await change(thread, (value) => {
          const before = read(value);
          const after = decide(message, rule, before, own).engaged;
          return after === before ? undefined : after;
        });
      return isQuestion;
    },
    /** Called by the bridge for every stored question. */
    async asked(thread: ThreadRef, question: Question) {
      if (thread.kind === 'direct') return;
      await change(thread, (value) => {
        const before = read(value);
        const after = asked(before ?? {}, question);
        return after === before ? undefined : after;
      });
    },
    /** Called by the bridge for every answer. */
    async answered(thread: ThreadRef) {
      if (thread.kind === 'direct') return;
      await change(thread, (value) => {
        const before = read(value);
        const after = before && answered(before);
        return after === before ? undefined : after;
      });
    },
  };
}

/** Reads a stored value. Older versions stored `true`. */
function read(value: unknown): Engaged | undefined {
  if (value === true) return {};
  return typeof value === 'object' && value !== null ? (value as Engaged) : undefined;
}
