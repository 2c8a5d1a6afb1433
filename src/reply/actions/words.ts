/** Sentences of the actions, the same in every channel: what happened, what is kept, what to do next. */

import { words as core } from '../../core/words.ts';

/** Answers to a press. */
export const words = {
  stopping: 'Stopping. The text so far is kept.',
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
  onlyAsker:
    'Only the person who asked can choose here, because it is their personal data. Nothing was sent.',
  aloneAlready: 'This answer is already private to you. Press Regenerate for a new one.',
  chooseAgent: 'Please choose an agent first.',
  agentGone: 'That agent is no longer available. Please choose another one.',
  unfinished: 'This answer is still being written. Please share it when it is finished.',
  noSources: 'This answer has no sources.',
  sourceGone: 'That source is no longer part of the answer. Nothing was shared.',
  partlyShared: 'Only the beginning was shared. Check the other conversation before you share it again.',
  notMember: 'You can share only where you are a member. Nothing was shared.',
  mayNotPost: 'I am not allowed to post there. Nothing was shared.',
  trouble: 'That did not work. Nothing was changed. Please try again in a minute.',
  moment: 'One moment…',
} as const;
