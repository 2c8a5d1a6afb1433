/** Parley's sentences around its answers in Teams: what happened, what is kept, what to do next. */

import { actionWords } from '../../../src/kit.ts';

export const words = {
  ...actionWords,
  askingMine: 'Asking. The answer comes in our own chat, for you alone.',
  notInstalled: (name: string) =>
    `I can answer you alone only in our own chat. Add me there first: Apps, ${name}, Add. Then press again.`,

  hereInThread: 'Here, in this thread',
  hereInChat: 'Here, in this chat',
  nowhere: 'I know of no team or group chat where we both are. Mention me there once, then share again.',
  unconfirmed: 'Teams did not confirm it. Please look there before you share it again.',
  shared: 'Shared.',
  generalChannel: 'General',
  groupChat: 'A group chat',
  aChannel: 'A channel',

  asks: (person: string, agent: string | undefined) =>
    agent === undefined ? `${person} asks:` : `${person} asks ${agent}:`,
  asksSame: (person: string, agent: string | undefined) =>
    agent === undefined ? `${person} asks the same question:` : `${person} asks ${agent} the same question:`,
  asksAlone: 'Your question, answered for you alone:',

  feedbackTitle: 'Feedback',
} as const;
