/** Rows of the live check that only Teams has. */

import {
  callStep,
  eventStep,
  isIn,
  LAST_WORD,
  type LiveAsk,
  type LiveRows,
  NEWEST,
  questionStep,
} from '../../../src/kit/ladder.ts';
import type { TeamsConfig } from '../config.ts';
import { words } from '../inbound/words.ts';
import { isPrivate } from '../private.ts';

const isAlone = ({ message }: LiveAsk): boolean => isPrivate(message.thread);

/** Rows in which a person writes. */
export const writtenRows = ({ name, targeted }: TeamsConfig): LiveRows => ({
  group: {
    proves: 'An answer in a group chat grows by edits that are accepted',
    steps: [questionStep(`In a group chat that has the app, write: @${name} count`, isIn('group'))],
    shows: [LAST_WORD],
    grows: 'edit',
  },
  quote: {
    proves: 'A quoted message reaches the agent with the question',
    steps: [
      questionStep(
        `In your chat with ${name}, choose Reply in the menu (…) of any message, and write: hello`,
        ({ message }) => message.quoted.length > 0,
      ),
    ],
  },
  'file-in-room': {
    proves: 'The answer says that Teams does not pass on a file in a channel',
    steps: [
      questionStep(
        `In a channel that has the app, write "@${name} hello" with a text file attached`,
        isIn('room'),
      ),
    ],
    shows: [words.filesOnlyInChats],
  },
  ...(targeted && {
    private: {
      proves: 'A private message in a channel is answered in private',
      cure: 'Make the app package again with teams.targeted, and upload it with a higher version.',
      steps: [questionStep(`In a channel, type /, choose ${name}, and write: hello`, isAlone)],
    },
  }),
});

/** Rows with the controls of an answer, and the menu of a message. */
export const pressRows: LiveRows = {
  feedback: {
    proves: 'A thumb is recorded with its reason',
    asks: 'hello',
    steps: [
      eventStep(
        `Press the thumb that points down ${NEWEST}, choose a reason and send it`,
        'feedback',
        ({ verdict, note }) => verdict === 'down' && Boolean(note),
      ),
    ],
  },
  reaction: {
    proves: 'A reaction counts as feedback',
    asks: 'hello',
    steps: [
      eventStep(
        'React with 👍 to the newest answer in the channel (open its thread)',
        'feedback',
        ({ verdict }) => verdict === 'up',
      ),
    ],
  },
  sources: {
    proves: 'The sources of an answer open in its card, and one can be shared',
    asks: 'documents',
    steps: [
      callStep(
        `Press Sources ${NEWEST}, then Share at the first source, and choose this thread if Teams asks where`,
        'send',
        ({ args }) => JSON.stringify(args).includes('shares a source'),
      ),
    ],
  },
  shortcut: {
    proves: 'The command in the menu of a message opens a form, which asks about the message',
    needs: ['direct'],
    steps: [
      questionStep(
        'In the menu (…) of any message, choose "Ask an agent about this", write hello and send it',
        ({ origin }) => origin.kind === 'act',
      ),
    ],
  },
};
