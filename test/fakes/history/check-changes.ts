/** Checks that shown text is never taken back, and that a reply does not change after its end. */

import type { Breach, Rule } from './breach.ts';
import { whereOf } from './check-replies.ts';
import { type History, wordsOf } from './kept.ts';
import { type Moment, momentsOf, type Seen } from './moments.ts';
import type { Reply } from './replies.ts';
import { possibleAnswers } from './saying.ts';

/** Presses after which a reply may start again. */
const STARTS_AGAIN = ['retry', 'regenerate', 'show'];

/** Checks all replies, except replies to edited or deleted questions and replies that a person deleted. */
export function unchanged(history: History, replies: readonly Reply[]): readonly Breach[] {
  return replies
    .filter(({ question, removed }) => question.sayings.length === 1 && removed.length === 0)
    .filter(({ question }) => question.deletedAt === undefined)
    .flatMap((reply) => changesOf(reply, history));
}

function changesOf(reply: Reply, history: History): readonly Breach[] {
  const saying = reply.question.sayings.at(-1);
  const moments = momentsOf(reply);
  if (saying === undefined || moments.length === 0) return [];
  const answers = possibleAnswers(saying).map(wordsOf);
  const presses = reply.acts
    .filter(({ kind }) => STARTS_AGAIN.includes(kind))
    .map(({ at }) => at)
    .toSorted((one, other) => one - other);
  // A beginning of an answer is an end only together with a notice.
  const ends = answers.filter(
    (answer) => !answers.some((other) => other !== answer && other.startsWith(answer)),
  );
  let isRestarting = false;
  return moments.flatMap((moment): readonly Breach[] => {
    while ((presses[0] ?? Number.POSITIVE_INFINITY) <= moment.at) {
      presses.shift();
      isRestarting = true;
    }
    const found = changeOf(moment, answers, ends);
    if (isRestarting) {
      // A press excuses all changes until the text grows again.
      isRestarting = lengthOf(moment.after, answers) <= lengthOf(moment.before, answers);
      return [];
    }
    if (found === undefined || isRepaired(moment, moments, answers, history)) return [];
    return [{ ...found, where: whereOf(reply) }];
  });
}

/** Maximum time from the end of a pause until the channel has read a call that the process began before, in milliseconds. */
const READ_MS = 500;

/**
 * True if the change is a call that a process began before it was paused, and the reply later shows again what it showed
 * before the call.
 */
function isRepaired(
  { at, before }: Moment,
  moments: readonly Moment[],
  answers: readonly string[],
  { machineFaults }: History,
): boolean {
  const isOfPaused = machineFaults.some(
    ({ name, until }) => name === 'SIGSTOP' && at >= until && at <= until + READ_MS,
  );
  const last = moments.at(-1);
  if (!isOfPaused || last === undefined || last.at === at) return false;
  const isWhole = lengthOf(last.after, answers) >= lengthOf(before, answers);
  return isWhole && (last.after.notice || !before.notice);
}

/** Returns the number of shown characters that belong to the answer. */
export const lengthOf = ({ words }: Pick<Seen, 'words'>, answers: readonly string[]): number =>
  Math.max(...answers.map((answer) => sharedLength(words, answer)));

/** @param ends all texts that count as the end of the reply */
function changeOf(
  { before, after }: Moment,
  answers: readonly string[],
  ends: readonly string[],
): Omit<Breach, 'where'> | undefined {
  const was = lengthOf(before, answers);
  const is = lengthOf(after, answers);
  const told = (rule: Rule, what: string) => ({ rule, what });
  if (is < was) return told('taken-back', `${was - is} of ${was} shown characters disappeared`);
  const ended = before.notice || ends.includes(before.words);
  if (ended && after.words !== before.words)
    return told(
      'changed',
      `its text changed after its end: ${before.words.length} characters became ${after.words.length}`,
    );
  if (before.notice && !after.notice) return told('changed', 'its notice disappeared');
  return undefined;
}

/** Returns the length of the beginning that both texts share. */
function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
