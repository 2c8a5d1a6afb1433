/** Records a run through XMPP from the archives of the server (XEP-0313) alone: those of the rooms, and the account's. */

import { words as coreWords } from '../../../src/core/words.ts';
import type { ArchivedMessage } from '../xmpp/archive.ts';
import type { Called, Question, Seen, Shown, Version } from './kept.ts';
import { wordsOf } from './kept.ts';
import { lookOf } from './look.ts';
import { canariesIn, sayingsIn } from './saying.ts';

export interface XmppArchives {
  /** Bare address of the bridge's account, and its nickname in rooms. */
  readonly bridge: string;
  readonly nick: string;
  /** The archive of each room, by its address. */
  readonly rooms: ReadonlyMap<string, readonly ArchivedMessage[]>;
  /** The archive of the bridge's account, with its direct chats. */
  readonly direct: readonly ArchivedMessage[];
}

/** A message of a chat, as the archive lists it. */
interface Line {
  readonly archiveId: string;
  readonly id: string;
  readonly at: number;
  /** Place in the archive, from 1. Archives list messages in the order of their arrival. */
  readonly nth: number;
  readonly isOurs: boolean;
  /** The person who wrote the message; `''` for the bridge. */
  readonly author: string;
  readonly text: string;
  readonly thread: string | undefined;
  readonly answers: string | undefined;
  readonly replaces: string | undefined;
  readonly retracts: string | undefined;
}

/** One room, or one direct chat. */
interface Chat {
  readonly channel: string;
  readonly isRoom: boolean;
  readonly lines: readonly Line[];
}

const SECOND_MS = 1_000;
const bareOf = (address = ''): string => address.replace(/\/.*$/s, '');

export function xmppRecord(archives: XmppArchives): Seen {
  const seen = chatsOf(archives).map((chat) => recordOf(chat, bareOf(archives.bridge)));
  const all = <Part extends 'questions' | 'shown' | 'calls'>(part: Part) =>
    seen.flatMap((each): Seen[Part][number][] => [...each[part]]);
  return {
    ...{ questions: all('questions'), shown: all('shown'), calls: all('calls') },
    // Archives contain no states such as "composing".
    ...{ thinking: [], closed: [], violations: [], acts: [] },
  };
}

function chatsOf({ bridge, nick, rooms, direct }: XmppArchives): readonly Chat[] {
  const inRooms = [...rooms].map(([channel, archive]) => ({
    ...{ channel, isRoom: true },
    lines: archive.map((each, at) => lineOf(each, at, `${channel}/${nick}`)),
  }));
  const other = ({ message: { attrs } }: ArchivedMessage) =>
    bareOf(attrs.from) === bridge ? bareOf(attrs.to) : bareOf(attrs.from);
  const chats = [...Map.groupBy(direct, other)].map(([channel, archive]) => ({
    ...{ channel, isRoom: false },
    lines: archive.map((each, at) => lineOf(each, at, bridge)),
  }));
  return [...inRooms, ...chats.filter(({ channel }) => !rooms.has(channel))];
}

function lineOf({ id: archiveId, at, message }: ArchivedMessage, index: number, own: string): Line {
  const { from = '', id = '' } = message.attrs;
  const isOurs = from === own || bareOf(from) === own;
  const named = (name: string, ns: string) => message.getChild(name, ns)?.attrs.id;
  return {
    ...{ archiveId, id, isOurs, nth: index + 1, author: isOurs ? '' : from },
    // Of a time in whole seconds, the last moment counts for the bridge, and the first one for people.
    at: isOurs && at % SECOND_MS === 0 ? at + SECOND_MS - 1 : at,
    text: message.getChildText('body') ?? '',
    thread: message.getChildText('thread') ?? undefined,
    answers: named('reply', 'urn:xmpp:reply:0'),
    replaces: named('replace', 'urn:xmpp:message-correct:0'),
    retracts: named('retract', 'urn:xmpp:message-retract:1'),
  };
}

function recordOf(
  { channel, isRoom, lines }: Chat,
  team: string,
): Pick<Seen, 'questions' | 'shown' | 'calls'> {
  const threadOf = threadsOf(lines, isRoom);
  const placed = {
    threadOf,
    place: (line: Line) => ({ team, channel, thread: threadOf(line) }),
    isRoom,
    lines,
  };
  const ours = lines.filter(({ isOurs, text }) => isOurs && text !== '');
  const answers = ours.filter(isAnswer).map((line) => answerIn(line, placed));
  return {
    questions: questionsIn(placed),
    shown: answers.map(({ shown }) => shown),
    calls: [
      ...answers.flatMap(({ calls }) => calls),
      // A note stands beside the replies and is a sign that the bridge works.
      ...ours
        .filter((line) => !isAnswer(line) && isFirst(line))
        .map((line) => callOf(line, line, 'send', placed)),
    ].toSorted((one, other) => one.at - other.at),
  };
}

const isFirst = ({ replaces, retracts }: Line): boolean => replaces === undefined && retracts === undefined;

/**
 * Matches the id of a message that contains text of an answer: it consists of the reply and the position of the message
 * in the reply. Ids of other messages of the bridge, such as refusals, do not match.
 */
const MARK = /^parley\.(.+)\.(\d+)\./;

const isAnswer = (line: Line): boolean =>
  isFirst(line) &&
  line.text !== coreWords.nothingRuns &&
  (MARK.test(line.id) || canariesIn(line.text).length > 0);

interface Placed {
  readonly lines: readonly Line[];
  readonly isRoom: boolean;
  place(line: Line): { readonly team: string; readonly channel: string; readonly thread: string };
}

/**
 * Returns a function that names a message's thread. All questions that one person asks in a room outside threads form
 * one conversation, for which the bridge chooses the name of a thread. This name is found in the answers: they name the
 * message of the question, or contain its words.
 */
function threadsOf(lines: readonly Line[], isRoom: boolean): (line: Line) => string {
  const ownThread = ({ thread, author }: Line): string =>
    thread ?? (isRoom ? `outside threads, ${author}` : 'chat');
  const people = lines.filter(({ isOurs }) => !isOurs);
  const named = new Set(people.flatMap(({ thread }) => thread ?? []));
  const asked = new Map<string, string>();
  for (const line of people) {
    asked.set(isRoom ? line.archiveId : line.id, ownThread(line));
    for (const { id } of sayingsIn(line.text)) asked.set(id, ownThread(line));
  }
  const chosen = new Map<string, string>();
  for (const { isOurs, thread, answers, text } of lines) {
    if (!isOurs || thread === undefined || named.has(thread) || chosen.has(thread)) continue;
    const own = [answers ?? '', ...canariesIn(text)]
      .map((id) => asked.get(id))
      .find((each) => each !== undefined);
    if (own !== undefined) chosen.set(thread, own);
  }
  return (line) =>
    line.isOurs && line.thread !== undefined ? (chosen.get(line.thread) ?? line.thread) : ownThread(line);
}

/** Returns the questions. A message that a client sent again has the same sender and id. */
function questionsIn({ lines, place, isRoom }: Placed): readonly Question[] {
  const people = lines.filter(({ isOurs }) => !isOurs);
  const copies = Map.groupBy(people.filter(isFirst), ({ author, id }) => `${author} ${id}`);
  return [...copies.values()].flatMap((all): readonly Question[] => {
    const [first] = all;
    if (first === undefined || sayingsIn(first.text).length === 0) return [];
    const later = people.filter(({ author }) => author === first.author);
    const edits = later.filter(({ replaces }) => replaces === first.id);
    const ids = isRoom ? all.map(({ archiveId }) => archiveId) : [first.id];
    const removal = later.find(({ retracts }) => retracts !== undefined && ids.includes(retracts));
    const sayings = [first, ...edits].flatMap(({ text }) => sayingsIn(text).at(-1) ?? []);
    const ended = removal && { deletedAt: removal.at };
    return [
      {
        ...place(first),
        ...{ ts: String(first.nth), sayings: unique(sayings), waits: false },
        ...{ sentAt: first.at, acceptedAt: first.at, copies: all.length, ...ended },
        heardEdits: unique(sayings).length - 1,
        isDeletionHeard: removal !== undefined,
      },
    ];
  });
}

/** Leaves out corrections that a client sent again. */
const unique = (sayings: Question['sayings']): Question['sayings'] =>
  sayings.filter(({ id }, at) => sayings.findIndex((each) => each.id === id) === at);

/** Returns one message of an answer with all its corrections, and the calls that made it. */
function answerIn(line: Line, placed: Placed): { readonly shown: Shown; readonly calls: readonly Called[] } {
  const { lines, place, isRoom } = placed;
  const corrections = lines.filter(({ isOurs, replaces }) => isOurs && replaces === line.id);
  const target = isRoom ? line.archiveId : line.id;
  const removal = lines.find(({ isOurs, retracts }) => isOurs && retracts === target);
  const states = [line, ...corrections];
  const last = stateOf(states.at(-1) ?? line);
  const [, turn, part] = MARK.exec(line.id) ?? [];
  const asked = lines.find(({ archiveId, id }) => line.answers === (isRoom ? archiveId : id));
  const shown: Shown = {
    ...place(line),
    ...{ ts: String(line.nth), names: asked === undefined ? [] : [String(asked.nth)] },
    ...(turn !== undefined && { mark: { turn, part: Number(part) } }),
    ...{ words: last.words, look: last.look, isNotice: last.notice },
    beside: JSON.stringify(last.notices),
    ...{ live: false, postedAt: line.at, ...(removal && { deletedAt: removal.at }) },
    versions: states.slice(0, -1).map((state, at): Version => {
      const { words, notice, look } = stateOf(state);
      return { until: states[at + 1]?.at ?? state.at, words, notice, look };
    }),
  };
  return {
    shown,
    calls: [
      callOf(line, line, 'send', placed),
      ...corrections.map((each) => callOf(each, line, 'update', placed)),
      ...(removal === undefined ? [] : [callOf(removal, line, 'delete', placed)]),
    ],
  };
}

function callOf(made: Line, target: Line, method: string, { place }: Placed): Called {
  const times = { at: made.at, doneAt: made.at };
  return { ...place(target), ...times, method, ts: String(target.nth), ok: true, error: '', said: made.text };
}

/** Matches the paragraph below an answer with which its notices begin. */
const NOTES =
  /^⚠ |^Stopped|^To ask again, send |^The server did not confirm|^This answer may be incomplete|\(Reference [0-9a-f]{8}\)$/;
/** Matches a notice of a failure, or that the answer was stopped. */
const ENDED = /\(Reference [0-9a-f]{8}\)|Stopped/;

function stateOf({ text }: Pick<Line, 'text'>) {
  const paragraphs = text.split('\n\n');
  const first = paragraphs.findIndex((each) => NOTES.test(each));
  const notices = first < 0 ? [] : paragraphs.slice(first);
  const answer = (first < 0 ? paragraphs : paragraphs.slice(0, first)).join('\n\n');
  return {
    notices,
    notice: notices.some((each) => ENDED.test(each)),
    // Message Styling writes the points of a list with a mark that Markdown does not know.
    words: wordsOf(answer.replace(/^• /gm, '- ')),
    look: lookOf(text),
  };
}
