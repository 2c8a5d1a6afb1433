/** Sentences of the actions, the same in every channel: what happened, what is kept, what to do next. */

import { accountTitle } from '../../core/asker.ts';
import { words as core } from '../../core/words.ts';

const count = (number: number): string => number.toLocaleString('en');

/** Texts that people see after a press, and texts of the form for a correction. */
export const words = {
  stopping: 'Stopping. The text so far is kept.',
  insteadNext: 'Stopping the running answer. Your question comes next.',
  again: 'Asking again. The new answer replaces this one.',
  showing: 'Showing the other version.',
  asking: 'Asking. The answer appears below.',
  askingAlone: 'Asking. Only you will see the answer.',
  thanks: 'Thank you. You can change your rating at any time.',

  guests: core.guests,
  bots: core.bots,
  whoAreYou: (channel: string) =>
    `I could not look up who you are in ${channel} just now. Please try again in a minute.`,
  elsewhere: 'This button belongs to an answer in another conversation. Nothing was changed.',
  stale: 'This answer is too old for its buttons to work. Please ask the question again.',
  ended: 'This answer has already ended.',
  noLongerWaits: 'No running answer was stopped. If this question still waits, it is asked in its turn.',
  onlyAsker:
    'Only the person who asked can choose here, because it is their personal data. Nothing was sent.',
  aloneAlready: 'This answer is already private to you. Press Regenerate for a new one.',
  chooseAgent: 'Please choose an agent first.',
  agentGone: 'That agent is no longer available. Please choose another one.',
  unfinished: {
    share: 'This answer is still being written. Please share it when it is finished.',
    correct: 'This answer is still being written. Please correct it when it is finished.',
  },
  noSources: 'This answer has no sources.',
  sourceGone: 'That source is no longer part of the answer. Nothing was shared.',
  partlyShared: 'Only the beginning was shared. Check the other conversation before you share it again.',
  notMember: 'You can share only where you are a member. Nothing was shared.',
  mayNotPost: 'I am not allowed to post there. Nothing was shared.',
  correctTitle: 'Correct this answer',
  correctedQuestion: 'Question',
  correctedAnswer: 'Answer',
  store: 'Store',
  storing: 'Storing your correction…',
  storedIn: (workspace: string, account: string | undefined) =>
    `Both texts are stored in the knowledge workspace “${workspace}”, as ${account === undefined ? 'the service account of the bridge' : accountTitle(account)}. Everyone who can use that workspace may see them.`,
  useOfPairs:
    "The platform stores both texts as a question-answer pair. The platform's documentation does not say when agents use pairs, and the platform's search does not find pairs yet.",
  tooLongToEdit: (what: 'question' | 'answer', length: number, limit: number) =>
    `The ${what} has ${count(length)} characters, too many to edit here. Write it anew, with up to ${count(limit)} characters.`,
  wordingMissing: 'Please write both the question and the answer. Nothing was stored.',
  notCorrectable: 'There is no text of an agent here to correct.',
  noWorkspace: (agent: string) =>
    `There is no place to store corrections of ${agent}. The operator of the bridge can set its knowledge workspace.`,
  corrected: (workspace: string) =>
    `Thank you. Your correction is stored in “${workspace}” as a question-answer pair. The platform's documentation does not say when agents use such pairs, and the platform's search does not find them yet.`,
  correctedBefore: (workspace: string) =>
    `This correction is stored in “${workspace}” already. It was not stored again.`,
  correctionRunning: 'This correction is being stored. It is not sent a second time.',
  correctionUnconfirmed: (workspace: string) =>
    `The platform did not confirm the correction, so it may or may not be stored in “${workspace}”. To avoid storing it twice, the bridge does not send the same wording again. To be sure that it is stored, change the wording and send it again.`,
  correctionRefused: (reason: string | undefined) =>
    reason === undefined
      ? 'The platform did not accept the correction. Nothing was stored. Please try again in a minute, or tell the operator of the bridge.'
      : `The platform refused the correction: “${reason}”. Nothing was stored.`,
  trouble: 'That did not work. Nothing was changed. Please try again in a minute.',
  moment: 'One moment…',
} as const;
