/** Checks that each question has one reply in one terminal state with the platform's text. */

import type { Breach, Rule } from './breach.ts';
import { doingOf, isPassing } from './doing.ts';
import { type Called, type History, NOTICE, type Shown, STOPPED_STREAM, wordsOf } from './kept.ts';
import { mayStay, refusalNotes } from './notes.ts';
import { type Reply, threadOf } from './replies.ts';
import { possibleAnswers } from './saying.ts';
import { isUnknown } from './unknown.ts';
import { isWaitingNote } from './waiting-note.ts';

/** Number of failed edits in a row after which the text is posted again in a new message (fault F18). */
const FAILED_EDITS = 5;
/** Time in which a pending call may still arrive, in milliseconds. */
const ON_ITS_WAY_MS = 1_000;

export const whereOf = ({ question: { team, channel, ts, sayings } }: Reply): string =>
  `${team} ${channel}/${ts} (${sayings.map(({ id }) => id).join(', ')})`;

/** Rooms that are closed to the app, and threads whose status says that the app works. */
interface Places {
  readonly closed: ReadonlySet<string>;
  readonly thinking: ReadonlySet<string>;
}

const roomOf = ({ team, channel }: { team: string; channel: string }): string => `${team} ${channel}`;

export function ends(history: History, replies: readonly Reply[]): readonly Breach[] {
  const places = {
    closed: new Set(history.closed.map(roomOf)),
    thinking: new Set(history.thinking.map(threadOf)),
  };
  return replies.flatMap((reply) => terminal(reply, places));
}

function terminal(reply: Reply, places: Places): readonly Breach[] {
  const { question, messages, removed } = reply;
  const breach = (rule: Rule, what: string): Breach => ({ rule, where: whereOf(reply), what });
  const closed = places.closed.has(roomOf(question));
  const thinks = places.thinking.has(threadOf(question));
  // If a room is closed to the app, the app can remove neither its status nor its waiting notes there.
  const stuck = [
    ...(thinks && !closed ? [breach('thinking', 'its status says that the app works')] : []),
    ...(question.waits && !closed && question.deletedAt === undefined
      ? [breach('thinking', 'it is still marked as waiting')]
      : []),
    ...messages
      .filter(({ live }) => live && !closed)
      .map(({ ts }) => breach('thinking', `${ts} still streams`)),
  ];
  if (question.deletedAt !== undefined && !question.isDeletionHeard) return stuck;
  if (question.deletedAt !== undefined) {
    const left = closed
      ? []
      : messages.map(({ ts }) => breach('terminal', `${ts} stayed though the question went`));
    return [...stuck, ...left];
  }
  if (removed.length > 0) return [...stuck, ...reposted(reply, breach)];
  if (closed) return stuck;
  if (messages.length === 0 && question.acceptedAt === undefined) return stuck;
  if (messages.length === 0) return [...stuck, breach('terminal', 'it has no reply')];
  const shown = [...doubled(messages, breach), ...text(reply, messages, breach)];
  // If a process is killed while it posts a message, the next process may not know of the message and may post the
  // text again.
  const known = messages.filter(
    (message) => !reply.unknown.includes(message) && !isUnconfirmed(message, reply),
  );
  const excused =
    shown.length > 0 && known.length < messages.length && text(reply, known, breach).length === 0;
  return [...stuck, ...(excused ? [] : shown)];
}

/** Words of a reply in Teams whose first message was not confirmed. The text is then posted once more, below. */
const DOUBT = 'did not confirm my first message';
/** Kinds of faults after which the app does not know whether a message was posted. */
const UNCONFIRMED = ['hang', 'reset', 'gateway'];

/** True for a message in a personal chat of Teams if its post was not confirmed and the reply tells people this. */
function isUnconfirmed({ channel, ts }: Shown, { calls, messages }: Reply): boolean {
  const opening = calls.find((call) => call.ts === ts);
  return (
    channel.startsWith('a:') &&
    UNCONFIRMED.includes(opening?.fault ?? '') &&
    messages.some(({ beside }) => beside.includes(DOUBT))
  );
}

type MakeBreach = (rule: Rule, what: string) => Breach;

function reposted({ messages, removed, calls }: Reply, breach: MakeBreach): readonly Breach[] {
  const [first] = removed.map(({ deletedAt = 0 }) => deletedAt).toSorted((one, other) => one - other);
  const opens = ({ method, ts }: Called): boolean =>
    doingOf(method) === 'opens' && messages.some((each) => each.ts === ts);
  return calls
    .filter((call) => call.ok && opens(call) && call.at > (first ?? 0) + ON_ITS_WAY_MS)
    .map(({ ts }) => breach('reposted', `${ts} came after a person had taken the reply away`));
}

function doubled(messages: readonly Shown[], breach: MakeBreach): readonly Breach[] {
  const marks = messages.flatMap(({ mark }) => (mark === undefined ? [] : [`${mark.turn} ${mark.part}`]));
  return marks
    .filter((mark, at) => marks.indexOf(mark) !== at)
    .map((mark) => breach('duplicate', `two messages are marked ${mark}`));
}

function text(reply: Reply, messages: readonly Shown[], breach: MakeBreach): readonly Breach[] {
  const { question } = reply;
  const possible = question.sayings.slice(question.heardEdits).flatMap(possibleAnswers);
  const left = messages.filter((message, at) => {
    const later = messages.slice(at + 1);
    return later.some(({ words }) => words !== '') && (isLeft(message, reply) || isReplaced(message, later));
  });
  const shown = messages.filter((message) => !left.includes(message));
  const words = shown.map((each) => each.words).join('');
  const noticed = shown.some(({ beside, words: own }) => NOTICE.test(beside) || NOTICE.test(own));
  const verdicts = possible.map((answer) => {
    const whole = wordsOf(answer);
    const wrong = left.filter((message) => !whole.startsWith(message.words));
    return [
      ...wrong.map(({ ts }) => breach('text', `${ts} was left with words that the platform never said`)),
      ...told(words, whole, { noticed, breach }),
    ];
  });
  return verdicts.find((breaches) => breaches.length === 0) ?? verdicts[0] ?? [];
}

function told(
  words: string,
  whole: string,
  { noticed, breach }: { noticed: boolean; breach: MakeBreach },
): readonly Breach[] {
  if (words === whole) return [];
  if (!noticed) return [breach('text', `without a notice it says ${describe(words, whole)}`)];
  const prefix = whole.startsWith(words) || isNoticeAlone(words, whole);
  return prefix ? [] : [breach('text', `beside its notice it says ${describe(words, whole)}`)];
}

/**
 * True for a text that ends with the reference of a notice and contains nothing of the answer, such as the text of a
 * message in its plainest form.
 */
const isNoticeAlone = (words: string, whole: string): boolean =>
  /\(Reference[0-9a-f]{8}\)$/.test(words) && !words.includes(whole.slice(0, 20));

function describe(words: string, whole: string): string {
  let at = 0;
  while (at < words.length && words[at] === whole[at]) at += 1;
  const here = `at ${at}: "${words.slice(at, at + 60)}" where the platform said "${whole.slice(at, at + 60)}"`;
  return `${words.length} characters in place of ${whole.length}, differing ${here}`;
}

/** True for a stream that a person stopped in Teams, if Retry wrote the answer in a later message. */
const isReplaced = ({ beside }: Shown, later: readonly Shown[]): boolean =>
  beside.includes(STOPPED_STREAM) && later.some(({ words }) => words !== '');

/**
 * True if, since the last successful edit of the message, the channel refused `FAILED_EDITS` edits, or three with
 * permanent errors.
 */
function isLeft({ ts }: Shown, { calls }: Reply): boolean {
  const edits = calls.filter((call) => doingOf(call.method) === 'edits' && call.ts === ts);
  const since = edits.findLastIndex(({ ok }) => ok);
  const refused = edits.slice(since + 1);
  return (
    refused.length >= FAILED_EDITS ||
    refused.filter(({ error }) => error !== '' && !isPassing(error)).length >= 3
  );
}

/** Returns messages in a thread that answer none of its questions. */
export function strays(history: History, replies: readonly Reply[]): readonly Breach[] {
  const { shown, questions, calls } = history;
  const byMessage = Map.groupBy(calls, ({ channel, ts }) => `${channel} ${ts}`);
  const callsOf = ({ channel, ts }: Shown) => byMessage.get(`${channel} ${ts}`) ?? [];
  const known = new Set(replies.flatMap(({ all }) => all));
  const refusals = refusalNotes(history, replies);
  const threads = new Set(questions.map(threadOf));
  const closed = new Set(history.closed.map(roomOf));
  return shown
    .filter((message) => message.deletedAt === undefined && !known.has(message))
    .filter((message) => !(isWaitingNote(message) && closed.has(roomOf(message))))
    .filter((message) => !isUnknown(message, callsOf(message), history))
    .filter((message) => !refusals.has(message) && !mayStay(message, callsOf(message), replies))
    .filter((message) => threads.has(threadOf(message)))
    .map(({ team, channel, ts, words }) => ({
      rule: 'stray',
      where: `${team} ${channel}/${ts}`,
      what: `answers no question: "${words.slice(0, 80)}"`,
    }));
}
