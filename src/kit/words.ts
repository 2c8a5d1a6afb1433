/** Sentences that are the same in every channel. */

import type { TurnId } from '../core/ids.ts';
import type { ReplyDocument, Step } from '../core/reply.ts';
import { words } from '../core/words.ts';
import { actions } from '../reply/actions/table.ts';

/** Texts in answers and below them. */
export const answerWords = {
  thinking: 'Thinking…',
  noText: 'The agent returned no text.',
  sources: actions.sources.label,
  allSources: (count: number) => `${actions.sources.label} (${count})`,
  stop: actions.stop.label,
  instead: actions.instead.label,
  retry: actions.retry.label,
  regenerate: actions.regenerate.label,
  askAnother: actions.agent.label,
  share: actions.share.label,
  askAsMe: actions.mine.label,
  correct: actions.correct.label,
  earlier: '‹',
  later: '›',
  version: (number: number, count: number) => `Version ${number} of ${count}`,
  image: 'Image',
  file: 'File',
} as const;

/** The sign before the name of a step. */
export const stepSigns: Readonly<Record<Step['state'], string>> = { running: '◌', done: '✓', failed: '✗' };

/** Everything that a message can say before the first text of its answer. */
export const textsBeforeAnswer: readonly string[] = [
  answerWords.thinking,
  words.platformDown,
  words.askedAnew,
  words.signIn.waiting,
];

/** Returns the notice for a waiting question. `ahead` is the number of questions before it. */
export const waitingWords = (ahead: number): string =>
  ahead === 0
    ? 'Your question is waiting because many questions are being answered right now.'
    : ahead === 1
      ? `Your question is waiting: one other question is ahead of it. ${INSTEAD}`
      : `Your question is waiting: ${ahead} other questions are ahead of it. ${INSTEAD}`;

const INSTEAD = 'Send `instead` to stop the running answer and ask yours now.';

/** Returns the words that end the notice of a failed turn, and that operators find in the log. */
export const reference = (turn: TurnId): string => words.reference(turn);

/** Suggested questions for people who have not asked yet. */
export const promptWords = {
  promptTitle: (agent: string) => `Ask ${agent}`,
  promptMessage: (agent: string) => `${agent}: What can you help me with?`,
} as const;

/**
 * Returns the note that people see in the form that asks for the reason of a rating. The rating was already stored when
 * the button was pressed.
 */
export const countsAlready = (verdict: 'up' | 'down'): string =>
  `Your thumbs-${verdict} counts even if you close this form.`;

/** Reasons for a bad rating, in the order of the form. */
export const badReasons: readonly string[] = [
  'Wrong',
  'Incomplete',
  'Out of date',
  'Not what I asked',
  'Hard to read',
  'Wrong sources',
];

/** True if the answer waits for a person: at a prompt about personal data, or at a sign-in. */
export function awaitsPerson({ suggestions, error }: Pick<ReplyDocument, 'suggestions' | 'error'>): boolean {
  return error === 'sign-in-needed' || suggestions.includes(words.personalData.send);
}
