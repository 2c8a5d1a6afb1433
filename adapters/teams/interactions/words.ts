/** Sentences of Parley about presses on its answers in Teams. */

import { actionWords } from '../../../src/kit/ladder.ts';

export const words = {
  ...actionWords,
  askingMine: 'Asking. The answer appears in our personal chat, and only you see it.',
  notInstalled: (name: string) =>
    `I can answer in private only in our personal chat. Add me there first (Apps, ${name}, Add), then press the button again.`,

  hereInThread: 'Here, in this thread',
  hereInChat: 'Here, in this chat',
  nowhere: 'I found no team or group chat to share in. Mention me in one, then share again.',
  unconfirmed: 'Teams did not confirm the share. Check the chat before you share again.',
  shared: 'Shared.',
  generalChannel: 'General',
  groupChat: 'A group chat',
  aChannel: 'A channel',

  asks: (person: string, agent: string | undefined) =>
    agent === undefined ? `${person} asks:` : `${person} asks ${agent}:`,
  asksSame: (person: string, agent: string | undefined) =>
    agent === undefined ? `${person} asks the same question:` : `${person} asks ${agent} the same question:`,
  asksAlone: 'Your question, answered in private:',
  asksAbout: (author = 'somebody') => `Your question about a message by ${author}:`,
  askTitle: 'Ask an agent',
  formTooOld: 'This form is too old. Please open it again.',
  nothingToAsk: 'This message contains no text that I can pass on to an agent.',

  feedbackTitle: 'Feedback',
} as const;
