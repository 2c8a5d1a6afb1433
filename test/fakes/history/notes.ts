/**
 * Notes that the app posts in addition to its replies. Each is recognized by its sentence and belongs to one question.
 */

import { words as coreWords } from '../../../src/core/words.ts';
import { catalogue } from '../../../src/errors.ts';
import { actionWords } from '../../../src/kit/ladder.ts';
import { type Act, type Called, type History, type Shown, wordsOf } from './kept.ts';
import { type Reply, threadOf } from './replies.ts';

/** Faults after which Teams has posted a message whose id the app never receives. */
const UNCONFIRMED = ['hang', 'reset', 'gateway'];

/**
 * True for a waiting note of Teams that the app can neither find nor delete. Such a note is in a personal chat, which
 * the app cannot read, and Teams did not confirm the post. The text of the note must still be true, and a question
 * must have been waiting when it was posted.
 */
export function mayStay(note: Shown, calls: readonly Called[], replies: readonly Reply[]): boolean {
  const [opening, ...later] = calls.filter(({ ok }) => ok);
  if (!note.channel.startsWith('a:') || !note.words.startsWith('Ihaveyourquestion.')) return false;
  if (opening === undefined || later.length > 0 || !UNCONFIRMED.includes(opening.fault ?? '')) return false;
  return replies.some(
    ({ question, messages }) =>
      threadOf(question) === threadOf(note) &&
      (question.acceptedAt ?? Number.POSITIVE_INFINITY) <= note.postedAt &&
      messages.every(({ postedAt }) => postedAt > note.postedAt),
  );
}

const REFUSALS = [
  coreWords.notRepeatableYet,
  catalogue['store-unavailable'].tellUser,
  actionWords.whoAreYou('Teams'),
];
const refusalWords = REFUSALS.map(wordsOf);

/**
 * True if the text says that the store could not record a press, that it has not yet recorded the end of the answer, or
 * that Teams did not say who pressed.
 */
export const refusesPress = (text: string): boolean => REFUSALS.some((each) => text.includes(each));

/** Maximum time from a press to its refusal, in milliseconds. */
const REFUSED_MS = 10_000;
/**
 * Further time if a machine fault began within `REFUSED_MS` of the press, in milliseconds. Another process may then
 * handle the press.
 */
const TAKEN_OVER_MS = 20_000;

/** True if a note at the time `at` can be the refusal of the press. */
export function isSoonAfter(
  press: Act,
  at: number,
  { machineFaults }: Pick<History, 'machineFaults'>,
): boolean {
  const until = press.at + REFUSED_MS;
  const isTakenOver = machineFaults.some((fault) => fault.at >= press.at && fault.at <= until);
  return at >= press.at && at <= until + (isTakenOver ? TAKEN_OVER_MS : 0);
}

/** Returns the notes that refuse a press: at most one for each press, in the thread of the pressed reply. */
export function refusalNotes(history: History, replies: readonly Reply[]): ReadonlySet<Shown> {
  const notes = history.shown.filter(({ words }) => refusalWords.some((each) => isRefusal(words, each)));
  const taken = new Set<Shown>();
  for (const { question, acts } of replies)
    for (const press of acts) {
      if (!press.isAccepted || refusesPress(press.answer)) continue;
      const note = notes.find(
        (each) =>
          !taken.has(each) &&
          threadOf(each) === threadOf(question) &&
          isSoonAfter(press, each.postedAt, history),
      );
      if (note !== undefined) taken.add(note);
    }
  return taken;
}

/** A refusal may end with its reference. */
const isRefusal = (words: string, refusal: string): boolean =>
  words.startsWith(refusal) && /^(?:\(Reference[0-9a-f]{8}\))?$/.test(words.slice(refusal.length));
