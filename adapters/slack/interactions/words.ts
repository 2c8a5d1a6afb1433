/** Parley's sentences around its answers in Slack: what happened, what is kept, what to do next. */

import { promptWords, waitingWords } from '../../../src/kit/words.ts';
import { actionWords, commandList } from '../../../src/kit.ts';

export const words = {
  ...actionWords,
  ...promptWords,
  waiting: waitingWords,

  asking: (agent: string | undefined) =>
    agent === undefined ? actionWords.askingAlone : `Asking ${agent}. Only you will see the answer.`,
  askingInThread: 'Asking. The answer comes in the thread of the message.',
  asked: (person: string, agent?: string) =>
    agent === undefined ? `${person} asks:` : `${person} asks ${agent}:`,
  askedSame: (person: string, agent: string) => `${person} asks ${agent} the same question.`,
  askedAbout: (person: string) => `${person} asks about this message:`,
  aboutThis: 'Please explain this message.',

  shareTitle: 'Share',
  sharing: 'Sharing…',
  shared: 'Shared in the channel.',
  goesOn: 'The answer goes on.',
  sharedInThread: 'Shared in the thread.',
  unconfirmed: 'Slack did not confirm it. Please look there before you share it again.',
  sharingHere: 'What you share comes here.',
  sharedSource: (person: string) => `${person} shares a source:`,
  sharedAnswer: (person: string, agent: string | undefined) =>
    agent === undefined ? `${person} shares an answer:` : `${person} shares an answer of ${agent}:`,
  fromAnswer: (agent: string) => `From an answer of ${agent}`,
  notInside: (name: string) =>
    `I am not in that channel. Invite me there (/invite @${name}), then share again.`,

  help: (command: string, name: string) =>
    [
      `${command} question – asks in private; Share makes the answer public`,
      `${command} agent question – asks a certain agent`,
      `@${name} question – asks in a channel; the answer comes in the thread`,
      'In a thread with an answer, and in our direct message, simply write.',
      `Words that I understand there: ${commandList.map(({ say }) => say).join(', ')}.`,
      `After ${command} too: agents, search <query>, files, whoami.`,
    ].join('\n'),

  homeAgents: 'Agents you can ask',
  homeNoAgents: 'There is no agent to ask yet. The operator of the bridge can add one.',
  homeMoreAgents: (count: number) => `And ${count} more: say “agents” in our direct message.`,
  homeRunning: 'Running for you',
  homeNothingRuns: 'Nothing is running.',
  homeSettings: 'Your settings',
  homeDefault: 'Agent in our direct message',
  homeNoDefault: 'The usual one',
  homeLanguage: 'Language of the answers',
  homeNoLanguage: 'As in Slack',
  homeHelp: 'How to ask',
  promptsTitle: 'What would you like to know?',
} as const;
