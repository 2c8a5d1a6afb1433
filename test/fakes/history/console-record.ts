/** Records a run of the console as one page showed it: each state of each message, from events, loads and a reload. */

import type { MessageView, ReplyView } from '../../../adapters/console/wire.ts';
import type { Act, Called, Question, Seen, Shown } from './kept.ts';
import { wordsOf } from './kept.ts';
import { lookOf } from './look.ts';
import type { Saying } from './saying.ts';

/** A state of a message that the page showed from this time on. */
export interface Look {
  readonly at: number;
  readonly message: MessageView;
}

export interface PageLog {
  /** Name of the page, unique in the run. */
  readonly page: string;
  /** Id of the person who is signed in. */
  readonly person: string;
  /** Ids of all rooms of which the page learned. */
  readonly rooms: readonly string[];
  /** Oldest first. */
  readonly looks: readonly Look[];
  /** Time at which each message disappeared from the page, if it did. */
  readonly removed: ReadonlyMap<string, number>;
  /** What the page shows at the end, and what it shows after a reload: the messages of each room, in their order. */
  readonly shown: readonly MessageView[];
  readonly reloaded: readonly MessageView[];
}

/** A message that a person wrote. */
export interface Post {
  /** A text that only this message contains. */
  readonly key: string;
  readonly room: string;
  /** Ids of the people who may read the room; absent if all may. */
  readonly readers?: readonly string[];
  readonly sentAt: number;
  /** Id of the message, and time of the first response that confirmed it; absent until then. */
  readonly id?: string;
  readonly acceptedAt?: number;
  /** Number of confirmed copies. */
  readonly copies: number;
  /** The answers that the question and its confirmed edits ask for; none if the message is no question. */
  readonly sayings: readonly Saying[];
  readonly deletedAt?: number;
  readonly acts: readonly (Pick<Act, 'kind' | 'at' | 'isAccepted' | 'answer'> & { readonly reply: string })[];
}

export const mayRead = ({ person }: PageLog, { readers }: Post): boolean => readers?.includes(person) ?? true;

const LIVE: readonly ReplyView['state'][] = ['waiting', 'thinking', 'writing'];
const FAILED: readonly ReplyView['state'][] = ['partial', 'stopped', 'failed'];

export function consoleRecord(log: PageLog, posts: readonly Post[]): Seen {
  const looks = Map.groupBy(log.looks, ({ message }) => message.id);
  const order = [...looks]
    .flatMap(([id, [first]]) => (first === undefined ? [] : { id, at: first.message.at }))
    .toSorted((one, other) => one.at - other.at);
  const numbers = new Map(order.map(({ id }, at) => [id, String(at + 1)]));
  const numberOf = (id: string) => numbers.get(id) ?? '';
  const placeOf = ({ room, thread }: MessageView) => ({ team: log.page, channel: room, thread });
  const readable = posts.filter((post) => mayRead(log, post));
  const asked = readable.flatMap((post): readonly Question[] => {
    const [first] = looks.get(post.id ?? '') ?? [];
    return first === undefined || post.sayings.length === 0
      ? []
      : [{ ...placeOf(first.message), ts: numberOf(first.message.id), ...questionOf(post) }];
  });
  const replies = [...looks.values()].flatMap((all) => {
    const withReply = all.flatMap(({ at, message }) =>
      message.reply === undefined ? [] : [{ at, place: placeOf(message), reply: message.reply }],
    );
    const [first] = withReply;
    const id = all[0]?.message.id ?? '';
    return first === undefined ? [] : [answerIn(withReply, { ...log, id, numberOf })];
  });
  return {
    questions: asked,
    shown: replies.map(({ shown }) => shown),
    calls: replies.flatMap(({ calls }) => calls).toSorted((one, other) => one.at - other.at),
    acts: readable.flatMap(({ acts, room }) =>
      acts.map(({ reply, ...act }) => ({ ...act, team: log.page, channel: room, ts: numberOf(reply) })),
    ),
    ...{ thinking: [], closed: [], violations: [] },
  };
}

const questionOf = ({ sayings, sentAt, acceptedAt, copies, deletedAt }: Post) => ({
  ...{ sayings, sentAt, copies, waits: false, heardEdits: sayings.length - 1 },
  ...(acceptedAt !== undefined && { acceptedAt }),
  ...(deletedAt !== undefined && { deletedAt }),
  isDeletionHeard: deletedAt !== undefined,
});

interface State {
  readonly at: number;
  readonly place: { readonly team: string; readonly channel: string; readonly thread: string };
  readonly reply: ReplyView;
}

interface Answer extends Pick<PageLog, 'shown' | 'removed'> {
  readonly id: string;
  numberOf(id: string): string;
}

/** Returns the message of a reply with its states, and a call for each change that people could see. */
function answerIn(
  states: readonly State[],
  { id, numberOf, shown, removed }: Answer,
): { readonly shown: Shown; readonly calls: readonly Called[] } {
  // A reply that waits behind others is a sign that the question was received, and no state of the answer.
  const begun = states.filter(({ reply }) => reply.state !== 'waiting');
  const visible = (begun.length === 0 ? states : begun)
    .map((state) => ({ ...state, ...visibleIn(state.reply) }))
    .filter(({ look }, at, all) => look !== all[at - 1]?.look);
  const [first, last] = [visible[0], visible.at(-1)];
  if (first === undefined || last === undefined) throw new Error('A reply was never shown.');
  const ts = numberOf(id);
  const { reply, place } = last;
  const deletedAt = shown.some((message) => message.id === id) ? undefined : removed.get(id);
  const call = (method: string, at: number, said: string): Called => ({
    ...{ ...place, ts, method, at, doneAt: at, ok: true, error: '', said },
  });
  return {
    shown: {
      ...{ ...place, ts, names: [numberOf(reply.question)], mark: { turn: reply.turn, part: 0 } },
      ...{ words: last.words, look: last.look, isNotice: last.notice, beside: last.beside },
      ...{ live: LIVE.includes(reply.state), postedAt: first.at },
      ...(deletedAt !== undefined && { deletedAt }),
      versions: visible.slice(0, -1).map(({ words, look, notice }, at) => {
        return { words, look, notice, until: visible[at + 1]?.at ?? first.at };
      }),
    },
    calls: [
      ...states.slice(0, 1).map(({ at }) => call('typing', at, '')),
      ...visible.map(({ at, said }, nth) => call(nth === 0 ? 'send' : 'update', at, said)),
      ...(deletedAt === undefined ? [] : [call('delete', deletedAt, '')]),
    ],
  };
}

function visibleIn({ text, state, notices, meanwhile }: ReplyView) {
  const told = notices.map((notice) => notice.text);
  return {
    words: wordsOf(text),
    notice: FAILED.includes(state),
    beside: JSON.stringify([...told, ...(state === 'stopped' ? ['Stopped'] : [])]),
    look: lookOf({ text, state, told, meanwhile }),
    said: [text, ...told].join('\n'),
  };
}
