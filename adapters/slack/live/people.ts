/** Acts of the live check in which a person writes. They build on each other. */

import { type LiveAct, LiveFault, type LiveStage } from '../../../src/kit/ladder.ts';
import type { Intake, ThreadRef } from '../../../src/kit.ts';
import type { SlackConfig } from '../config.ts';
import { assertStopped, LAST_WORD, type LiveChat, reader } from './chat.ts';

type Act = Omit<LiveAct, 'by'>;
type Fits = (event: Extract<Intake, { readonly kind: 'ask' }>) => boolean;

export const conversationActs = (chat: LiveChat, { name }: SlackConfig): readonly LiveAct[] =>
  [
    ...roomActs(chat, name),
    ...changeActs(chat),
    ...directActs(chat, name),
    fileAct(chat, { name: 'image-in', what: 'a picture (PNG or JPEG)', expected: '1 images', app: name }),
    fileAct(chat, { name: 'file-in', what: 'a text file (.txt)', expected: '1 files', app: name }),
  ].map((act) => ({ ...act, by: 'person' }));

/** Lets the person write, and waits for the end of the answer. */
async function written(stage: LiveStage, instruction: string, fits: Fits) {
  stage.instruct(instruction);
  const { event, turn, at } = await stage.event('ask', fits);
  const { message } = event;
  const { thread } = message;
  await stage.reply(turn, thread);
  return { message, thread, at };
}

const isDirect: Fits = ({ message }) => message.thread.kind === 'direct';

function placeOf({ known }: LiveChat): ThreadRef {
  if (known.room !== undefined) return known.room;
  throw new LiveFault('No room is known.');
}

const roomActs = (chat: LiveChat, name: string): readonly Act[] => [
  {
    name: 'mention',
    proves: 'A mention in a channel is answered once, in its thread',
    async perform(stage) {
      const how = `In a channel that has the app, write: @${name} hello`;
      const { message, thread, at } = await written(stage, how, (event) => !isDirect(event));
      stage.measure('event after the message, ms by two clocks', Math.round(at - message.sentAt));
      await reader(chat, stage)(thread, (content, all) => all.length === 1 && content.includes('hello'));
      chat.known.room = thread;
      chat.known.person = message.sender;
    },
  },
  {
    name: 'follow-up',
    proves: 'A reply in the thread needs no mention and keeps the conversation',
    needs: ['mention'],
    async perform(stage) {
      const how = 'In the thread of your first message, write without a mention: and again';
      await written(stage, how, ({ message }) => message.thread.key === placeOf(chat).key);
      await reader(chat, stage)(placeOf(chat), (content) => content.includes('1 earlier question'));
    },
  },
  {
    name: 'second-person',
    proves: 'A second person can ask in the same thread',
    needs: ['mention'],
    async perform(stage) {
      const how = `Let another person write in the thread of your first message: @${name} hello from me`;
      await written(stage, how, ({ message }) => message.sender.id !== chat.known.person?.id);
    },
  },
];

const changeActs = (chat: LiveChat): readonly Act[] => [
  {
    name: 'edit',
    proves: 'An edited question is asked again in the same answer',
    needs: ['follow-up'],
    async perform(stage) {
      const { length } = await chat.shown(stage, placeOf(chat));
      stage.instruct('Edit your message "and again" to: something else');
      const { turn } = await stage.event('edit');
      await stage.reply(turn, placeOf(chat));
      const fits = (content: string) => content.includes('something else');
      await reader(chat, stage)(placeOf(chat), (content, all) => all.length === length && fits(content));
    },
  },
  {
    name: 'delete',
    proves: 'The answer to a deleted question is removed',
    needs: ['edit'],
    async perform(stage) {
      const { length } = await chat.shown(stage, placeOf(chat));
      stage.instruct('Delete your message "something else"');
      await stage.event('delete');
      await reader(chat, stage)(placeOf(chat), (_content, all) => all.length === length - 1);
    },
  },
];

const directActs = (chat: LiveChat, name: string): readonly Act[] => [
  {
    name: 'direct',
    proves: "A direct message is answered without a mention, in Slack's native stream",
    async perform(stage) {
      const how = `Write to ${name} in its direct message (Messages tab): count`;
      const { message, thread } = await written(stage, how, isDirect);
      chat.known.direct = thread;
      chat.known.person ??= message.sender;
      await stage.call('chat.startStream');
      const appends = stage.calls().filter(({ method }) => method === 'chat.appendStream');
      stage.measure('appends to the stream', appends.length);
      await reader(chat, stage)(thread, (content) => content.includes(LAST_WORD));
    },
  },
  {
    name: 'stop-stream',
    proves: "Slack's own Stop ends a stream and the question to the agent",
    needs: ['direct'],
    async perform(stage) {
      stage.instruct('Write in the direct message: forever');
      const { event, turn } = await stage.event('ask', isDirect);
      stage.instruct("While the answer grows, press Slack's own Stop beside the message field");
      await stage.event('stop');
      await assertStopped(chat, stage, { turn, thread: event.message.thread });
    },
  },
];

interface FileAct {
  readonly name: string;
  /** The kind of file that the person attaches. */
  readonly what: string;
  /** The scripted agent's answer about it. */
  readonly expected: string;
  /** Name of the app. */
  readonly app: string;
}

const fileAct = (chat: LiveChat, { name, what, expected, app }: FileAct): Act => ({
  name,
  proves: `With a question, ${what} reaches the agent`,
  needs: ['mention'],
  async perform(stage) {
    const how = `In a channel that has the app, write "@${app} hello" with ${what} attached`;
    const { thread } = await written(stage, how, ({ message }) => message.files.length > 0);
    await reader(chat, stage)(thread, (content) => content.includes(expected));
  },
});
