/** Parley's sentences on XMPP. */

import { answerWords } from '../../../src/kit/words.ts';

export const words = {
  ...answerWords,
  removed: 'This answer was removed.',
  imageMark: '▣',
  rule: '———',
  task: (done: boolean) => (done ? '☑' : '☐'),
  suggested: 'To ask one of these questions, send its number:',
  retry: 'To ask again, send `retry`.',
  unconfirmed: 'The server did not confirm my first message. It may still be visible above.',
  whoAreYou:
    'I cannot tell who you are in this room, because it hides addresses and has no occupant ids. Please write to me directly, or ask the room’s owner to show addresses to members.',
  tooManyTurns:
    'I stop answering here, because you answer each of my messages within seconds, as a program does. In ten minutes I answer again.',
} as const;
