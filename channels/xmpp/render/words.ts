/** Parley's sentences on XMPP. */

import { answerWords } from 'parley/kit/ladder';

export const words = {
  ...answerWords,
  removed: 'This answer was removed.',
  imageMark: '▣',
  rule: '———',
  task: (done: boolean) => (done ? '☑' : '☐'),
  suggested: 'To ask one of these questions, send its number:',
  retry: 'To ask again, send `retry`.',
  unconfirmed: 'The server did not confirm my first message. It may nevertheless be visible above.',
  whoAreYou:
    'I cannot tell who you are in this room, because it hides addresses and has no occupant ids. Please write to me directly, or ask the room’s owner to show addresses to members.',
  noAnswer: 'I have not answered you here yet. Ask a question first.',
  noSuggestions: 'My last answer suggests no questions.',
  inChat: 'Done. You can read more in the chat.',
  commandExpired: 'This form is too old. Start the command again.',
  question: 'Question',
  agent: 'Agent',
  rating: 'How was the answer?',
  note: 'Comment (optional)',
  verdicts: [
    ['up', 'Good'],
    ['down', 'Not good'],
    ['none', 'Withdraw my rating'],
  ],
  programs:
    'I answer people only, and your client says that it is a program. For ten minutes I do not answer it again.',
  tooManyTurns:
    'I stop answering here, because you answer each of my messages within seconds, as a program does. In ten minutes I answer again.',
} as const;
