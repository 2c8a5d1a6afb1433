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
    code: z.string().min(1).max(CODE_CHARACTERS).describe('Its code, unique across the system'),
    names: localized('Its name in each language').min(1),
    welcomes: localized('Its greeting').optional(),
    descriptions: localized('Its purpose').optional(),
    cover: anyText('Path of its picture').optional(),
    historyRecordNumber: number('Number of earlier turns that it uses').optional(),
    feedback: flag('Whether it asks for feedback').optional(),
    recordChat: flag('Whether conversations are recorded', { name: 'recoreChat' }).optional(),
    useSuggestedQuestions: flag('Whether it suggests questions').optional(),
    useKnowledgeBase: flag('Whether it answers from knowledge workspaces').optional(),
    sort: number('Position in lists').optional(),
    chatModelId: integerId('The model that answers').optional(),
    tools: z
      .array(z.looseObject({ id: anyId('Id of the plugin') }))
      .describe('Its plugins')
      .optional(),
    knowledgeInfo: z
      .looseObject({ workspaces: integerIds('Ids of knowledge workspaces').optional() })
      .describe('Its knowledge')
      .optional(),
    dataSources: texts('Its data sources').optional(),
    chatPrompt: anyText('Its prompt').optional(),
    temperature: within([0, 2], 'Sampling temperature').optional(),
    topP: within([0, 1], 'Nucleus sampling (top-p)').optional(),
  }),
  ...answersId('Id of the new bot', 'botId'),
});
