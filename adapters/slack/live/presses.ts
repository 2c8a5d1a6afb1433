/** Acts of the live check in which a person uses Slack's buttons, forms, commands and shortcuts. */

import { type LiveAct, LiveFault, type LiveStage, plain } from '../../../src/kit/ladder.ts';
import type { Intake, ReplyDocument } from '../../../src/kit.ts';
import type { SlackConfig } from '../config.ts';
import { SHARE_MARK } from '../ids.ts';
import { answered, ask, assertStopped, type LiveChat } from './chat.ts';

type Cause = Extract<Intake, { readonly kind: 'ask' }>['origin']['kind'];

const NEWEST = 'under the newest answer in the channel (open its thread)';

export function pressActs(chat: LiveChat, { name, command }: SlackConfig): readonly LiveAct[] {
  const own: readonly Omit<LiveAct, 'by'>[] = [
    {
      name: 'command',
      proves: 'The command is answered in private',
      async perform(stage) {
        await asked(stage, `In a channel, type: ${command} hello in private`, 'act');
      },
    },
    {
      name: 'shortcut',
      proves: 'The shortcut of a message opens a form, which asks about the message',
      async perform(stage) {
        stage.instruct('At any message, open "More actions" (⋮) and choose "Ask an agent about this"');
        await stage.call('views.open');
        await asked(stage, 'Write hello into the form and send it', 'act');
      },
    },
    {
      name: 'home',
      proves: 'The App Home shows the agents',
      async perform(stage) {
        stage.instruct(`Open the app ${name} in the sidebar, then its tab Home`);
        await stage.call('views.publish');
      },
    },
  ];
  return [...buttonActs(chat), ...own].map((act) => ({ ...act, by: 'person' }));
}

/** Acts with the buttons under an answer, for which the check itself asks the question. */
function buttonActs(chat: LiveChat): readonly Omit<LiveAct, 'by'>[] {
  const acts: readonly Pick<LiveAct, 'name' | 'proves' | 'perform'>[] = [
    {
      name: 'stop-button',
      proves: 'The button Stop ends an answer in a channel',
      async perform(stage) {
        const asking = await ask(chat, stage, 'forever');
        stage.instruct(`Press Stop ${NEWEST}`);
        await stage.event('stop');
        await assertStopped(chat, stage, asking);
      },
    },
    {
      name: 'retry',
      proves: 'Retry replaces an answer that failed',
      async perform(stage) {
        await answered(chat, stage, 'fail');
        await asked(stage, `Press Retry ${NEWEST}`, 'retry');
      },
    },
    {
      name: 'regenerate',
      proves: 'Regenerate adds a version to an answer',
      async perform(stage) {
        await answered(chat, stage, 'hello');
        const { editions } = await asked(stage, `Press Regenerate ${NEWEST}`, 'regenerate');
        if (editions?.count !== 2) throw new LiveFault('The answer does not have two versions.');
      },
    },
    {
      name: 'feedback',
      proves: 'A thumb is recorded',
      async perform(stage) {
        await answered(chat, stage, 'hello');
        stage.instruct(`Press the thumb that points up ${NEWEST}`);
        await stage.event('feedback', ({ verdict }) => verdict === 'up');
      },
    },
    {
      name: 'suggestion',
      proves: 'A suggested question is asked and answered',
      async perform(stage) {
        await answered(chat, stage, 'more');
        await asked(stage, `Press the button "hello from a button" ${NEWEST}`, 'act');
      },
    },
    {
      name: 'sources',
      proves: 'The sources of an answer open in a form, and one can be shared',
      async perform(stage) {
        await answered(chat, stage, 'documents');
        stage.instruct(`Press Sources ${NEWEST}`);
        await stage.call('views.open');
        stage.instruct('In the form, press Share at the first source, and confirm');
        await stage.call('chat.postMessage', ({ args }) => plain(args.metadata).event_type === SHARE_MARK);
      },
    },
  ];
  return acts.map((act) => ({ ...act, needs: ['mention'] }));
}

/** Lets the person cause a question, and resolves with the answer. Fails the act if it is not complete. */
async function asked(stage: LiveStage, instruction: string, cause: Cause): Promise<ReplyDocument> {
  stage.instruct(instruction);
  const { event, turn } = await stage.event('ask', ({ origin }) => origin.kind === cause);
  const reply = await stage.reply(turn, event.message.thread);
  if (reply.state !== 'done') throw new LiveFault(`The answer ended in the state "${reply.state}".`);
  return reply;
}
