/** Rows of the live check that only Slack has. */

import {
  callStep,
  eventStep,
  type LiveAsk,
  type LiveRows,
  NEWEST,
  plain,
  questionStep,
} from '../../../src/kit/ladder.ts';
import type { SlackConfig } from '../config.ts';
import { SHARE_MARK } from '../ids.ts';

const isAct = ({ origin }: LiveAsk): boolean => origin.kind === 'act';

export const slackRows = ({ name, command }: SlackConfig): LiveRows => ({
  feedback: {
    proves: 'A thumb is recorded',
    asks: 'hello',
    steps: [
      eventStep(`Press the thumb that points up ${NEWEST}`, 'feedback', ({ verdict }) => verdict === 'up'),
    ],
  },
  sources: {
    proves: 'The sources of an answer open in a form, and one can be shared',
    asks: 'documents',
    steps: [
      callStep(`Press Sources ${NEWEST}`, 'views.open'),
      callStep(
        'In the form, press Share at the first source, and confirm',
        'chat.postMessage',
        ({ args }) => plain(args.metadata).event_type === SHARE_MARK,
      ),
    ],
  },
  command: {
    proves: 'The command is answered in private',
    steps: [questionStep(`In a channel, type: ${command} hello in private`, isAct)],
  },
  shortcut: {
    proves: 'The shortcut of a message opens a form, which asks about the message',
    steps: [
      callStep('At any message, open "More actions" (⋮) and choose "Ask an agent about this"', 'views.open'),
      questionStep('Write hello into the form and send it', isAct),
    ],
  },
  home: {
    proves: 'The App Home shows the agents',
    steps: [callStep(`Open the app ${name} in the sidebar, then its tab Home`, 'views.publish')],
  },
});
