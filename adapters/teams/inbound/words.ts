/** Sentences of Parley about itself and about questions in Teams. */

import { promptWords } from '../../../src/kit/ladder.ts';

export const words = {
  ...promptWords,
  /**
   * This note must stay true after the answer: the note cannot be deleted if Teams did not confirm it and the app may
   * not read messages.
   */
  waiting: (ahead: number) =>
    ahead === 0
      ? 'I have your question. Many other questions came first, so the answer takes a little longer.'
      : ahead === 1
        ? 'I have your question. I answer one other question first, then yours.'
        : `I have your question. I answer ${ahead} other questions first, then yours.`,
  unshown:
    'Teams did not accept my last answer, so it is missing here or incomplete. Please ask the question again.',
  notListed:
    'Teams does not list you as a member of this conversation, so I cannot answer you here. Ask to be added, or write to me in our personal chat.',
  notPrivately:
    'I cannot answer in private here. Mention me so that everyone sees the answer, or write to me in our personal chat.',
  filesOnlyInChats:
    'I cannot open files that are shared here. Please share them with me in our personal chat, or paste them as images.',
  fileNotSent:
    'Teams did not send me the content of your file. Please attach it again from your computer, or paste its text.',
  hello: (name: string) => `Hello, I am ${name}. Write to me, and an agent answers.`,
  helloThere: (name: string) =>
    `Hello, I am ${name}. Mention me with a question (@${name} …), and an agent answers here.`,
  agents: 'You can ask:',
  agentLine: (agent: string, description: string) => `• ${agent}: ${description}`,
  howToChoose: (agent: string) =>
    `To choose an agent, start with its name and a colon, such as “${agent}: …”.`,
  help: 'Send “help” to see what else I understand.',
} as const;
