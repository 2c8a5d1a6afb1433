import { type Conduct, inLanguage, type Localized, plainConduct } from '../agents/conduct.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { Gatekeeper } from '../auth/identity.ts';
import type { Call } from '../http/call.ts';
import { asFields, type Fields, idText } from '../http/fields.ts';
import { flagMember, member, objectBody, requiredMember, textMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

export interface BotParts {
  readonly gatekeeper: Gatekeeper;
  readonly directory: AgentDirectory;
  readonly workspaces: Pick<Workspaces, 'withId' | 'find'>;
}

/** Platform contract BOT-2, BOT-7. */
const CODE_CHARACTERS = 50;
const WELCOME_CHARACTERS = 2_000;

/** Bots of the Open API (platform contract BOT-1 to BOT-7). */
export const botRoutes = (parts: BotParts): readonly Route[] => [
  { id: 'createBot', method: 'POST', path: '/openapi', face: 'open', handle: (call) => create(parts, call) },
];

async function create(parts: BotParts, call: Call): Promise<Reply> {
  const { gatekeeper, directory } = parts;
  gatekeeper.openAdministrator(call, 'to write bots');
  const record = await objectBody(call);
  const code = requiredMember(record, 'code');
  if (code.length > CODE_CHARACTERS) {
    throw declined(
      `The parameter code has ${code.length} characters; at most ${CODE_CHARACTERS} are allowed.`,
    );
  }
  const conduct = conductOf(record, parts);
  checkStored(record);
  if (directory.withCode(code) !== undefined) throw declined(`There is already a bot with the code ${code}.`);
  const description = inLanguage(localized(record, 'descriptions'), []);
  const { made } = directory.add({ code, description, conduct, record });
  return openReply(made?.id);
}

function conductOf(record: Fields, parts: BotParts): Conduct {
  const title = inLanguage(localized(record, 'names'), []);
  if (title === '') throw declined('The parameter names must hold at least one name.');
  const workspaces = workspacesOf(record, parts);
  return {
    ...plainConduct,
    title,
    greetings: welcomesOf(record),
    prompt: textMember(record, 'chatPrompt') ?? '',
    temperature: inRange(record, 'temperature', 2),
    topP: inRange(record, 'topP', 1),
    suggests: flagMember(record, 'useSuggestedQuestions', true),
    turns: turnsOf(record),
    workspaces: flagMember(record, 'useKnowledgeBase', false) ? workspaces : [],
  };
}

function localized(record: Fields, name: string): readonly Localized[] {
  const value = member(record, name) ?? [];
  const items = Array.isArray(value) ? value.map(asFields) : [undefined];
  return items.map((item) => {
    const { languageCode, content } = item ?? {};
    if (typeof languageCode !== 'string' || typeof content !== 'string') {
      throw declined(`The parameter ${name} must be an array of objects with languageCode and content.`);
    }
    return { languageCode, content };
  });
}

function welcomesOf(record: Fields): readonly Localized[] {
  const welcomes = localized(record, 'welcomes');
  const long = welcomes.find(({ content }) => content.length > WELCOME_CHARACTERS);
  if (long !== undefined) {
    throw declined(
      `A welcome has ${long.content.length} characters; at most ${WELCOME_CHARACTERS} are allowed.`,
    );
  }
  return welcomes;
}

function inRange(record: Fields, name: string, most: number): number | undefined {
  const value = member(record, name) ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || value < 0 || value > most) {
    throw declined(`The parameter ${name} must be a number from 0 to ${most}.`);
  }
  return value;
}

function turnsOf(record: Fields): number | undefined {
  const turns = member(record, 'historyRecordNumber') ?? undefined;
  if (turns === undefined) return undefined;
  if (typeof turns !== 'number' || !Number.isInteger(turns) || turns < 0) {
    throw declined('The parameter historyRecordNumber must be an integer from 0.');
  }
  return turns;
}

const isId = (value: unknown): boolean => /^\d{1,19}$/.test(idText(value) ?? '');

/** The workspaces that are named by id, or undefined where none are named (platform contract BOT-5, INC-18). */
function workspacesOf(record: Fields, parts: BotParts): readonly string[] | undefined {
  const knowledge = member(record, 'knowledgeInfo') ?? {};
  const fields = asFields(knowledge);
  if (fields === undefined) throw declined('The parameter knowledgeInfo must be an object.');
  const workspaces = member(fields, 'workspaces') ?? undefined;
  if (workspaces === undefined) return undefined;
  if (!Array.isArray(workspaces) || !workspaces.every(isId)) {
    throw declined('The parameter knowledgeInfo.workspaces must be an array of ids.');
  }
  const ids = workspaces.map((id) => idText(id) ?? '');
  const unknown = ids.find((id) => parts.workspaces.withId(id) === undefined);
  if (unknown !== undefined) throw declined(`The knowledge workspace ${unknown} is unknown.`);
  return ids;
}

/** What is kept and changes nothing here must have its documented type too. */
function checkStored(record: Fields): void {
  for (const name of ['feedback', 'recoreChat', 'recordChat']) flagMember(record, name, false);
  textMember(record, 'cover');
  if (typeof (member(record, 'sort') ?? 0) !== 'number')
    throw declined('The parameter sort must be a number.');
  const sources = member(record, 'dataSources') ?? [];
  if (!Array.isArray(sources) || !sources.every((source) => typeof source === 'string')) {
    throw declined('The parameter dataSources must be an array of strings.');
  }
  const tools = member(record, 'tools') ?? [];
  const model = member(record, 'chatModelId') ?? undefined;
  const toolIds = Array.isArray(tools) ? tools.map((tool) => asFields(tool)?.id) : [undefined];
  if (![...toolIds, ...(model === undefined ? [] : [model])].every(isId)) {
    throw declined('The parameters chatModelId and tools must hold ids of digits.');
  }
}
