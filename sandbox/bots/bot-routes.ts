import { z } from 'zod';
import { inLanguage, plainConduct } from '../agents/conduct.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { Gatekeeper } from '../auth/identity.ts';
import { operations, type Route } from '../http/operation.ts';
import { declined, known, openReply } from '../http/reply.ts';
import {
  anyBody,
  declinedBy,
  digits,
  flag,
  localized,
  parse,
  record,
  requiredCode,
  requiredText,
  text,
  texts,
  whole,
  withFallback,
} from '../http/schema.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

/** Maximum characters of a bot's code and of a welcome (platform contract BOT-2: code; BOT-7: welcome). */
const CODE_CHARACTERS = 50;
const WELCOME_CHARACTERS = 2_000;

const names = withFallback(localized, []);

const numberTo = (most: number) => {
  const message = `must be a number from 0 to ${most}`;
  return z.number(message).min(0, message).max(most, message).nullish();
};

const TURNS = 'must be an integer of 0 or more';

/**
 * Schema of a bot. It checks the documented types of all members, even of those that the sandbox does not use (platform
 * contract BOT-1 to BOT-7: bots).
 */
const bot = record({
  code: requiredText.refine((code) => code.length <= CODE_CHARACTERS, {
    error: ({ input }) =>
      `The parameter "code" has ${String(input).length} characters; at most ${CODE_CHARACTERS} are allowed.`,
  }),
  names,
  descriptions: names,
  welcomes: names,
  knowledgeInfo: record(
    {
      workspaces: whole(
        z.array(digits).nullish(),
        'The parameter "knowledgeInfo.workspaces" must be an array of ids.',
      ),
    },
    'must be an object',
  ).nullish(),
  chatPrompt: text,
  temperature: numberTo(2),
  topP: numberTo(1),
  useSuggestedQuestions: flag(true),
  useKnowledgeBase: flag(false),
  historyRecordNumber: z.number('must be a number').int(TURNS).min(0, TURNS).nullish(),
  feedback: flag(false),
  recoreChat: flag(false),
  recordChat: flag(false),
  cover: text,
  sort: z.number('must be a number').nullish(),
  dataSources: whole(texts.nullish(), 'must be an array of strings'),
  tools: whole(z.array(z.looseObject({ id: requiredCode })).nullish(), 'must be an array of plugins'),
  chatModelId: digits.nullish(),
});

/** Routes of the Open API's bots (platform contract BOT-1 to BOT-7: bots). */
export function botRoutes(
  gatekeeper: Gatekeeper,
  directory: AgentDirectory,
  workspaces: Workspaces,
): readonly Route[] {
  const write = operations('open', gatekeeper.administrator('to write bots'));
  return [
    write('createBot', 'POST /openapi', anyBody, ({ body }) => {
      const wanted = parse(bot, body, declinedBy);
      const title = inLanguage(wanted.names, []);
      if (title === '') throw declined('The parameter "names" must contain at least one name.');
      const long = wanted.welcomes.find(({ content }) => content.length > WELCOME_CHARACTERS)?.content.length;
      if (long !== undefined) {
        throw declined(`A welcome has ${long} characters; at most ${WELCOME_CHARACTERS} are allowed.`);
      }
      // Accept ids only, not names. If the list is absent, the bot may use every workspace (platform contract BOT-5:
      // ids; INC-18: names or ids).
      const named = wanted.knowledgeInfo?.workspaces ?? undefined;
      for (const each of named ?? []) known(workspaces.withId(each), `knowledge workspace ${each}`);
      const { code } = wanted;
      if (directory.withCode(code) !== undefined)
        throw declined(`There is already a bot with the code ${code}.`);
      const conduct = {
        ...plainConduct,
        title,
        greetings: wanted.welcomes,
        prompt: wanted.chatPrompt ?? '',
        temperature: wanted.temperature ?? undefined,
        topP: wanted.topP ?? undefined,
        suggests: wanted.useSuggestedQuestions,
        turns: wanted.historyRecordNumber ?? undefined,
        workspaces: wanted.useKnowledgeBase ? named : [],
      };
      const description = inLanguage(wanted.descriptions, []);
      return openReply(directory.add({ code, description, conduct, record: body }).made?.id);
    }),
  ];
}
