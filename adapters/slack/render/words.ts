/** Parley's sentences in Slack: short, plain and kind. */

import { answerWords } from '../../../src/kit/ladder.ts';
import { label } from './escape.ts';

/** Maximum characters of an agent's name in a sentence. */
const NAME_CHARS = 75;

export const words = {
  ...answerWords,
  /** Text for `assistant.threads.setStatus`. Slack shows it after the app's name. */
  isThinking: 'is thinking…',
  good: 'Good answer',
  bad: 'Bad answer',
  earlierVersion: 'Show the earlier version',
  laterVersion: 'Show the later version',
  askAgent: (agent: string) => `Ask ${agent} instead`,
  answeredBy: (agent: string) => `Answered by ${label(agent, NAME_CHARS, '–')}`,
  footer: 'AI-generated. Please check it.',
  restInDirectMessage: 'The answer continues in a direct message.',
  afresh: 'Slack did not let me change my earlier message, so the whole answer is in this one.',
  reply: 'Answer',
} as const;
