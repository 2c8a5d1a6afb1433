import type { Gatekeeper } from '../auth/identity.ts';
import type { Call } from '../http/call.ts';
import { asFields, type Fields, idText } from '../http/fields.ts';
import { flagMember, member, objectBody, requiredMember, textMember } from '../http/open-fields.ts';
import { declined } from '../http/refusal.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { type Conduct, plainConduct } from './conduct.ts';
import type { AgentDirectory } from './directory.ts';

export interface BotParts {
  readonly gatekeeper: Gatekeeper;
  readonly directory: AgentDirectory;
}

/** Platform contract BOT-2, BOT-7. */
const CODE_CHARACTERS = 50;
const WELCOME_CHARACTERS = 2_000;

/** Bots of the Open API (platform contract BOT-1 to BOT-7). */
export const botRoutes = (parts: BotParts): readonly Route[] => [
  { id: 'createBot', method: 'POST', path: '/openapi', face: 'open', handle: (call) => create(parts, call) },
];

async function create({ gatekeeper, directory }: BotParts, call: Call): Promise<Reply> {
  gatekeeper.openAdministrator(call, 'to write bots');
  const record = await objectBody(call);
  const code = requiredMember(record, 'code');
  if (code.length > CODE_CHARACTERS) {
    throw declined(
      `The parameter code has ${code.length} characters; at most ${CODE_CHARACTERS} are allowed.`,
    );
  }
  const conduct = conductOf(record);
  if (directory.withCode(code) !== undefined) throw declined(`There is already a bot with the code ${code}.`);
  const description = inEnglish(localized(record, 'descriptions'));
  const { made } = directory.add({ code, description, conduct, record });
  return openReply(made?.id);
}

function conductOf(record: Fields): Conduct {
  const names = localized(record, 'names');
  if (names.length === 0) throw declined('The parameter names must hold at least one name.');
  const welcomes = localized(record, 'welcomes');
  const long = welcomes.find(({ content }) => content.length > WELCOME_CHARACTERS);
  if (long !== undefined)
    throw declined(
      `A welcome has ${long.content.length} characters; at most ${WELCOME_CHARACTERS} are allowed.`,
    );
  inRange(record, 'temperature', 2);
  inRange(record, 'topP', 1);
  checkIds(record);
  for (const name of ['feedback', 'recoreChat', 'recordChat']) flagMember(record, name, false);
  const turns = member(record, 'historyRecordNumber') ?? undefined;
  if (turns !== undefined && (typeof turns !== 'number' || !Number.isInteger(turns) || turns < 0)) {
    throw declined('The parameter historyRecordNumber must be an integer from 0.');
  }
  return {
    ...plainConduct,
    title: inEnglish(names),
    greeting: inEnglish(welcomes),
    prompt: textMember(record, 'chatPrompt') ?? '',
    suggests: flagMember(record, 'useSuggestedQuestions', true),
    turns,
    workspaces: flagMember(record, 'useKnowledgeBase', false) ? workspacesOf(record) : [],
  };
}

interface Localized {
  readonly languageCode: string;
  readonly content: string;
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

const inEnglish = (texts: readonly Localized[]): string =>
  (texts.find(({ languageCode }) => languageCode === 'en-US') ?? texts[0])?.content ?? '';

function inRange(record: Fields, name: string, most: number): void {
  const value = member(record, name) ?? 0;
  if (typeof value !== 'number' || value < 0 || value > most) {
    throw declined(`The parameter ${name} must be a number from 0 to ${most}.`);
  }
}

/** Ids as integers or as digits (platform contract BOT-5, GEN-9). */
function checkIds(record: Fields): void {
  const tools = member(record, 'tools') ?? [];
  const toolIds = Array.isArray(tools) ? tools.map((tool) => asFields(tool)?.id) : [undefined];
  const model = member(record, 'chatModelId');
  const ids = [...toolIds, ...(model === undefined || model === null ? [] : [model])];
  if (!ids.every((id) => /^\d{1,19}$/.test(idText(id) ?? ''))) {
    throw declined('The parameters chatModelId and tools must hold ids of digits.');
  }
}

function workspacesOf(record: Fields): readonly string[] | undefined {
  const { workspaces } = asFields(member(record, 'knowledgeInfo')) ?? {};
  if (workspaces === undefined || workspaces === null) return undefined;
  const ids = Array.isArray(workspaces) ? workspaces.map((id) => idText(id) ?? '') : [''];
  if (!ids.every((id) => /^\d{1,19}$/.test(id))) {
    throw declined('The parameter knowledgeInfo.workspaces must be an array of ids.');
  }
  return ids;
}
