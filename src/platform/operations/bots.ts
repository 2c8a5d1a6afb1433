import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { answersId } from '../wire/answers.ts';
import { anyId, anyText, flag, integerId, integerIds, number, texts, within } from '../wire/members.ts';
import { localized } from './shared.ts';

const operation = operationsOf('bots', 'open');
/** Maximum length of a bot's code, in characters (platform contract BOT-2). */
const CODE_CHARACTERS = 50;

/** Creates a bot (platform contract BOT-1 to BOT-7). The path is only `/openapi` and names no resource (INC-25). */
export const createBot = operation({
  id: 'createBot',
  command: 'create',
  doc: 'Creates a bot and returns its id.',
  method: 'POST',
  path: '/openapi',
  request: z.strictObject({
    code: z.string().min(1).max(CODE_CHARACTERS).describe('Code of the bot; no other bot may have this code'),
    names: localized('Name of the bot in each language').min(1),
    welcomes: localized('Greeting of the bot in each language').optional(),
    descriptions: localized('Purpose of the bot in each language').optional(),
    cover: anyText('Path to the picture of the bot').optional(),
    historyRecordNumber: number(
      'Number of earlier questions, with their answers, that the bot uses',
    ).optional(),
    feedback: flag('Whether the bot asks for feedback').optional(),
    recordChat: flag('Whether conversations are recorded', { name: 'recoreChat' }).optional(),
    useSuggestedQuestions: flag('Whether the bot suggests questions').optional(),
    useKnowledgeBase: flag('Whether the bot answers from knowledge workspaces').optional(),
    sort: number('Position of the bot in lists').optional(),
    chatModelId: integerId('Id of the model with which the bot answers').optional(),
    tools: z
      .array(z.looseObject({ id: anyId('Id of the plugin') }))
      .describe('Plugins of the bot')
      .optional(),
    knowledgeInfo: z
      .looseObject({
        workspaces: integerIds('Ids of the knowledge workspaces from which the bot answers').optional(),
      })
      .describe('Knowledge from which the bot answers')
      .optional(),
    dataSources: texts('Data sources of the bot').optional(),
    chatPrompt: anyText('Prompt of the bot').optional(),
    temperature: within([0, 2], 'Sampling temperature').optional(),
    topP: within([0, 1], 'Nucleus sampling (top-p)').optional(),
  }),
  ...answersId('Id of the new bot', 'botId'),
});
