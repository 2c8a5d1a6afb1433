/** What Parley says in every channel alike: a channel adds what only it has to say. */

import { words } from '../core/words.ts';

/** In answers and under them. */
export const answerWords = {
  thinking: 'Thinking…',
  noText: 'The agent gave no text for an answer.',
  sources: 'Sources',
  allSources: (count: number) => `Sources (${count})`,
  stop: 'Stop',
  retry: 'Retry',
  regenerate: 'Regenerate',
  earlier: '‹',
  later: '›',
  version: (shown: number, count: number) => `Version ${shown} of ${count}`,
  askAnother: 'Ask another agent',
  share: 'Share',
  askAsMe: 'Ask as me',
  image: 'Image',
  file: 'File',
} as const;

/** Around answers: what happened, what stays, what to do next. */
export const surfaceWords = {
  stale: 'This answer is older than what is kept for its buttons. Please ask the question again.',
  elsewhere: 'This button belongs to an answer in another place, so nothing was done.',
  guests: words.guests,
  trouble: 'That did not work just now. Nothing was changed; please try again in a minute.',
  moment: 'One moment…',
  ended: 'This answer had already ended.',
  stopping: 'Stopping. What has arrived stays.',
  noSources: 'This answer came without sources.',
  sourceGone: 'That source is no longer part of the answer. Nothing was shared.',
  partlyShared: 'Only the beginning was shared. Please look there before you share it again.',
  notMember: 'You can share only where you are a member yourself. Nothing was shared.',
} as const;

/** What a question hears that has to wait; `ahead` counts the questions before it. */
export const waitingWords = (ahead: number): string =>
  ahead === 0
    ? 'Your question waits for a moment: many are being answered just now.'
    : ahead === 1
      ? 'Your question waits until the one before it is answered.'
      : `Your question waits until the ${ahead} before it are answered.`;

/** What may be offered to press where nobody has asked anything yet. */
export const promptWords = {
  promptTitle: (agent: string) => `Ask ${agent}`,
  promptMessage: (agent: string) => `${agent}: What can you help me with?`,
} as const;

/** Note in the form that asks for a reason: the press is counted before the form is sent. */
export const countsAlready = (verdict: 'up' | 'down'): string =>
  `Your thumbs-${verdict} counts even if you close this form.`;

/** What may be wrong with an answer, in the order in which people choose from it. */
export const badReasons: readonly string[] = [
  'Wrong',
  'Incomplete',
  'Out of date',
  'Not what I asked',
  'Hard to read',
  'Sources do not fit',
];
