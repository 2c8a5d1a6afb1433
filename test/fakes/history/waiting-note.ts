/** The note about a waiting question, as the app words it in Slack and in Teams. */

import type { Shown } from './kept.ts';

/** Matches the text of a call that posts such a note. */
export const WAITS = /Your question is waiting|I have your question\. /;

export const isWaitingNote = ({ words }: Pick<Shown, 'words'>): boolean =>
  /^(?:Yourquestioniswaiting|Ihaveyourquestion\.)/.test(words);
