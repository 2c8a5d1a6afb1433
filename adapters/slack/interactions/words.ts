/** Parley's sentences in Slack outside answers: what happened, what is kept, what to do next. */

import { actionWords, answerWords, commandList, promptWords, waitingWords } from '../../../src/kit/ladder.ts';

export const words = {
  ...actionWords,
  ...promptWords,
  waiting: waitingWords,
  instead: answerWords.instead,

  asking: (agent: string | undefined) =>
    agent === undefined ? actionWords.askingAlone : `Asking ${agent}. Only you will see the answer.`,
  askingInThread: 'Asking. The answer appears in the thread of the message.',
  asked: (person: string, agent?: string) =>
    agent === undefined ? `${person} asks:` : `${person} asks ${agent}:`,
  askedSame: (person: string, agent: string) => `${person} asks ${agent} the same question.`,
  askedAbout: (person: string) => `${person} asks about this message:`,
  aboutThis: 'Please explain this message.',

  shareTitle: 'Share',
  sharing: 'Sharing…',
  shared: 'Shared in the channel.',
  goesOn: 'The answer continues.',
  sharedInThread: 'Shared in the thread.',
  unconfirmed: 'Slack did not confirm the share. Check the channel before you share again.',
  sharingHere: 'Checking whether I can post here…',
  sharedSource: (person: string) => `${person} shares a source:`,
  sharedAnswer: (person: string, agent: string | undefined) =>
    agent === undefined ? `${person} shares an answer:` : `${person} shares an answer from ${agent}:`,
  fromAnswer: (agent: string) => `From ${agent}’s answer`,
  notInside: (name: string) =>
    `I am not in that channel. Invite me there (/invite @${name}), then share again.`,

  help: (command: string, name: string) =>
    [
      `${command} question – asks in private; press Share to show the answer to others`,
      `${command} agent question – asks the agent that you name`,
      `@${name} question – asks in a channel; the answer appears in the thread`,
      'In a thread with an answer, and in our direct message, just write.',
      `Commands in a thread or in our direct message: ${commandList.map(({ say }) => say).join(', ')}.`,
      `These also work after ${command}: agents, search <query>, files, whoami.`,
    ].join('\n'),

  homeAgents: 'Agents you can ask',
  homeNoAgents: 'There is no agent to ask yet. The operator of the bridge can add one.',
  homeMoreAgents: (count: number) => `And ${count} more: send “agents” in our direct message.`,
  homeRunning: 'Your running answers',
  homeNothingRuns: 'No answer is running.',
  homeSettings: 'Your settings',
  homeDefault: 'Agent for our direct message',
  homeNoDefault: 'Default agent',
  homeLanguage: 'Language of the answers',
  homeNoLanguage: 'Same as Slack',
  homeHelp: 'How to ask',
  promptsTitle: 'What would you like to know?',
} as const;
