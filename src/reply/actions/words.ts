/** Words of the actions, the same in every channel: what happened, what is kept, what to do next. */

import { words as core } from '../../core/words.ts';

/** Answers to a press. */
export const words = {
  stopping: 'Stopping. What has arrived stays.',
  again: 'Asking again. The new answer comes in place of this one.',
  showing: 'The other version comes at once.',
  asking: 'Asking. The answer comes below.',
  askingAlone: 'Asking. Only you will see the answer.',
  thanks: 'Thank you. You can change your mind at any time.',

  guests: core.guests,
  bots: core.bots,
  whoAreYou: (channel: string) =>
    `I could not find out from ${channel} who you are just now. Please try again in a minute.`,
  elsewhere: 'This button belongs to an answer in another place, so nothing was done.',
  stale: 'This answer is older than what is kept for its buttons. Please ask the question again.',
  ended: 'This answer had already ended.',
  onlyAsker:
    'Only the person who asked can choose here, because it is their personal data. Nothing was asked or sent.',
  aloneAlready: 'This answer is for you alone already. Press Regenerate to ask again.',
  chooseAgent: 'Please choose an agent first.',
  agentGone: 'That agent is not here any more. Please choose another one.',
  unfinished: 'This answer is still being written. Please share it when it is done.',
  noSources: 'This answer came without sources.',
  sourceGone: 'That source is no longer part of the answer. Nothing was shared.',
  partlyShared: 'Only the beginning was shared. Please look there before you share it again.',
  notMember: 'You can share only where you are a member yourself. Nothing was shared.',
  mayNotPost: 'I may not post there, so nothing was shared.',
  trouble: 'That did not work just now. Nothing was changed; please try again in a minute.',
  moment: 'One moment…',
} as const;
