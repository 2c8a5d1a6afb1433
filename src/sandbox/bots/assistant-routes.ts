import { permissionMissing } from '../auth/identity.ts';
import { type Call, param } from '../http/call.ts';
import { asFields, type Fields, idText } from '../http/fields.ts';
import { invalid, missing } from '../http/refusal.ts';
import { liteReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { BotParts } from './bot-routes.ts';
import { type Conduct, type KeywordFilter, plainConduct } from './conduct.ts';
import type { ListedAgent } from './directory.ts';

/** Assistants of the lite interface, with and without `/webapi` (platform contract ADM-4 to ADM-14). */
export const assistantRoutes = (parts: BotParts): readonly Route[] =>
  ['', '/webapi'].flatMap((prefix): readonly Route[] => [
    {
      id: 'createAssistant',
      method: 'POST',
      path: `${prefix}/lite_api/v1/robots/`,
      face: 'lite',
      handle: (call) => create(parts, call),
    },
    // The documents say POST and show GET (platform contract INC-1).
    ...(['GET', 'POST'] as const).map(
      (method): Route => ({
        id: 'getAssistant',
        method,
        path: `${prefix}/lite_api/v1/robots/{robot_id}`,
        face: 'lite',
        handle: async (call) => get(parts, call),
      }),
    ),
  ]);

async function create({ gatekeeper, directory }: BotParts, call: Call): Promise<Reply> {
  if (gatekeeper.liteAccount(call).role !== 'admin') throw invalid(permissionMissing('to write assistants'));
  const record = await call.fields();
  if (record.info === undefined || record.info === null) throw missing('info');
  const info = asFields(record.info);
  if (info === undefined) throw invalid('The parameter info must be an object.');
  const conduct = conductOf(record, info);
  directory.add({ description: text(info, 'description'), conduct, record });
  return liteReply(null);
}

function get({ gatekeeper, directory }: BotParts, call: Call): Reply {
  const { role } = gatekeeper.liteAccount(call);
  const id = param(call, 'robot_id');
  const agent = directory.withUuid(id);
  if (agent === undefined) throw invalid(`The assistant ${id} is unknown.`);
  return liteReply(recordOf(agent, role === 'admin'));
}

/** The record as it was sent, with what only the platform knows (platform contract ADM-10). */
function recordOf({ uuid, title, description, made }: ListedAgent, manageable: boolean): Fields {
  const record: Fields = made?.record ?? {};
  const info: Fields = asFields(record.info) ?? { name: title, description, is_published: true };
  return { ...record, info: { ...info, id: uuid, manageable } };
}

function conductOf(record: Fields, info: Fields): Conduct {
  const knowledge = objectMember(info, 'knowledge_config') ?? {};
  return {
    ...plainConduct,
    title: text(info, 'name') || 'assistant',
    greeting: text(info, 'prologue'),
    prompt: text(info, 'prompt'),
    workspaces: workspacesOf(record),
    suggests: flag(info, 'recommend_question', true),
    turns: amount(info, 'chat_rounds'),
    published: flag(info, 'is_published', true),
    fragments: amount(knowledge, 'k'),
    leastScore: amount(knowledge, 'doc_score') ?? 0,
    showsReferences: flag(knowledge, 'show_reference', true),
    filter: filterOf(objectMember(record, 'keywords_filter')),
  };
}

/** The workspaces of all knowledge bases, by id, or undefined where none are named. */
function workspacesOf(record: Fields): readonly string[] | undefined {
  const bases = record.knowledge_bases ?? undefined;
  if (bases === undefined) return [];
  if (!Array.isArray(bases)) throw invalid('The parameter knowledge_bases must be an array.');
  const lists = bases.map((base) => asFields(base)?.workspaces ?? []);
  if (!lists.every(Array.isArray))
    throw invalid('The parameter knowledge_bases.workspaces must be an array.');
  return lists.flat().map((workspace) => idText(workspace) ?? idText(asFields(workspace)?.id) ?? '');
}

function filterOf(filter: Fields | undefined): KeywordFilter | undefined {
  if (filter === undefined) return undefined;
  const words = filter.key_words ?? [];
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
    throw invalid('The parameter keywords_filter.key_words must be an array of strings.');
  }
  return {
    words,
    onQuestion: flag(filter, 'review_input', false) ? text(filter, 'preset_reply_input') : undefined,
    onAnswer: flag(filter, 'review_output', false) ? text(filter, 'preset_reply_output') : undefined,
  };
}

function objectMember(fields: Fields, name: string): Fields | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  const found = asFields(value);
  if (found === undefined) throw invalid(`The parameter ${name} must be an object.`);
  return found;
}

function text(fields: Fields, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw invalid(`The parameter ${name} must be a string.`);
  return value;
}

function flag(fields: Fields, name: string, fallback: boolean): boolean {
  const value = fields[name] ?? fallback;
  if (typeof value !== 'boolean') throw invalid(`The parameter ${name} must be true or false.`);
  return value;
}

function amount(fields: Fields, name: string): number | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw invalid(`The parameter ${name} must be a number from 0.`);
  }
  return value;
}
