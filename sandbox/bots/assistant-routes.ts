import { z } from 'zod';
import { type Conduct, type KeywordFilter, plainConduct } from '../agents/conduct.ts';
import type { AgentDirectory, ListedAgent } from '../agents/directory.ts';
import type { Gatekeeper } from '../auth/identity.ts';
import { asFields, type Fields, idText } from '../http/json.ts';
import { type Call, noBody, operations, param, type Route } from '../http/operation.ts';
import { invalid, known, liteReply, missing } from '../http/reply.ts';
import { anyBody, flag, invalidBy, parse, record } from '../http/schema.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

/**
 * Routes of the lite interface's assistants. (platform contract ADM-4 to ADM-14: assistants).
 */
export function assistantRoutes(
  gatekeeper: Gatekeeper,
  directory: AgentDirectory,
  workspaces: Workspaces,
): readonly Route[] {
  const write = operations('lite', gatekeeper.liteAdministrator('to write assistants'));
  const read = operations('lite', gatekeeper.liteAccount);
  // The answer does not depend on the value of `internal_use` (platform contract ADM-5: reading an assistant).
  const list = (call: Call, role: string) => {
    if (!/^(true|false)$/i.test(call.query.get('internal_use') ?? 'true'))
      throw invalid('The parameter "internal_use" must be true or false.');
    const id = param(call, 'robot_id');
    const agent = known(directory.withUuid(id), `assistant ${id}`, invalid);
    return liteReply(shownRecord(agent, role === 'admin'));
  };
  const internal = record({ internal_use: flag(false) });
  return [
    write('createAssistant', 'POST /lite_api/v1/robots/', anyBody, ({ body }) => {
      if ((body.info ?? null) === null) throw missing('info');
      const conduct = assistantConduct(body, (nameOrId) => workspaces.find(nameOrId)?.id);
      const description = asFields(body.info)?.description;
      directory.add({
        description: typeof description === 'string' ? description : '',
        conduct,
        record: body,
      });
    }),
    // The platform's documentation names POST but shows GET, so serve both (platform contract INC-1).
    read('getAssistant', 'GET /lite_api/v1/robots/{robot_id}', noBody, ({ call, caller }) =>
      list(call, caller.role),
    ),
    read('getAssistant', 'POST /lite_api/v1/robots/{robot_id}', internal, ({ call, caller }) =>
      list(call, caller.role),
    ),
  ];
}

/**
 * Returns the record as the caller sent it, with the properties that the platform adds (platform contract ADM-10:
 * `info.id`, `info.manageable`). If the agent was not created as an assistant, makes a record from its name and
 * description.
 */
function shownRecord({ uuid, title, description, made }: ListedAgent, manageable: boolean): Fields {
  const info = asFields(made?.record.info);
  const own = { id: uuid, manageable };
  if (made !== undefined && info !== undefined) return { ...made.record, info: { ...info, ...own } };
  return { info: { name: title, description, is_published: true, ...own } };
}

const string = z.string('must be a string').nullish();
const uuid = z.guid('must be a uuid').nullish();
const number = z.number('must be a number').nullish();
const boolean = z.boolean('must be a boolean').nullish();
const array = z.array(z.unknown(), 'must be an array').nullish();
const each = <Schema>(schema: Schema, ...names: readonly string[]): Readonly<Record<string, Schema>> =>
  Object.fromEntries(names.map((name) => [name, schema]));

const groups = (name: string) =>
  z.array(z.object({ [name]: uuid }, 'must be an object'), 'must be an array').nullish();
const classification = {
  ...each(string, 'classification_name', 'classification_icon'),
  classification_id: z.union([z.string(), z.int()], 'must be a string or an integer').nullish(),
};

const amount = (name: string) => {
  const message = `The parameter "${name}" must be a number of 0 or more.`;
  return number.refine((value) => value === null || value === undefined || value >= 0, message);
};

const knowledgeConfig = z.object(
  {
    ...each(string, 'search_mode', 'metadata'),
    ...each(number, 'qa_score'),
    k: amount('k'),
    doc_score: amount('doc_score'),
    show_reference: boolean,
  },
  'must be an object',
);

const info = z.object(
  {
    ...each(string, 'avatar_url', 'description', 'robot_type', 'user_id'),
    ...each(string, 'split_type', 'load_type', 'spliter_json', 'product_position'),
    ...each(uuid, 'flow_id', 'cluster_group_id', 'group_id', 'embedding_id'),
    ...each(number, 'weight'),
    user_skill_auths: array,
    category_ids: z.array(z.guid('must be a uuid'), 'must be an array').nullish(),
    ...each(boolean, 'need_summary', 'force_execute', 'open_filter', 'record_chat'),
    ...each(boolean, 'feedback', 'editable', 'question_guide', 'operator_execute'),
    name: string,
    prompt: string,
    prologue: string,
    chat_rounds: amount('chat_rounds'),
    is_published: boolean,
    recommend_question: boolean,
    knowledge_config: knowledgeConfig.nullish(),
    bi_config: z.object(each(boolean, 'query_rewrite', 'divide_think'), 'must be an object').nullish(),
  },
  'must be an object',
);

const keywordsFilter = z.object(
  {
    id: string,
    robot_id: uuid,
    preset_reply_input: string,
    preset_reply_output: string,
    review_input: boolean,
    review_output: boolean,
    key_words: z
      .array(
        z.string('The parameter "keywords_filter.key_words" must be an array of strings.'),
        'must be an array',
      )
      .nullish(),
  },
  'must be an object',
);

/**
 * Documented members of an assistant, with their types (platform contract ADM-4, ADM-6 to ADM-9, ADM-11: members of
 * `info`). Null counts as absent.
 */
const assistant = z.object({
  ...each(array, 'mcps', 'feedback_accounts'),
  masks: groups('mask_set_id'),
  skills: groups('skill_group_id'),
  data_sources: groups('skill_group_id'),
  info,
  knowledge_bases: z
    .array(z.object({ ...classification, workspaces: array }, 'must be an object'), 'must be an array')
    .nullish(),
  keywords_filter: keywordsFilter.nullish(),
});

/** Reads how the assistant behaves. Refuses unknown workspaces, and fields that do not have their documented type. */
function assistantConduct(record: Fields, workspaceId: (nameOrId: string) => string | undefined): Conduct {
  const { info: about, knowledge_bases, keywords_filter } = parse(assistant, record, invalidBy);
  const { knowledge_config: knowledge, prologue } = about;
  const workspaces = (knowledge_bases ?? []).flatMap((base, index) =>
    (base.workspaces ?? []).map((workspace) => {
      const code = idText(workspace) ?? idText(asFields(workspace)?.id);
      if (code === undefined)
        throw invalid(`The parameter "knowledge_bases[${index}].workspaces" must contain ids.`);
      return known(workspaceId(code), `knowledge workspace ${code}`, invalid);
    }),
  );
  return {
    ...plainConduct,
    title: about.name?.trim() || 'assistant',
    greetings: prologue ? [{ languageCode: 'en-US', content: prologue }] : [],
    prompt: about.prompt ?? '',
    workspaces,
    suggests: about.recommend_question !== false,
    turns: about.chat_rounds ?? undefined,
    published: about.is_published !== false,
    fragments: knowledge?.k ?? undefined,
    leastScore: knowledge?.doc_score ?? 0,
    showsReferences: knowledge?.show_reference !== false,
    filter: keywords_filter ? filterOf(keywords_filter) : undefined,
  };
}

const filterOf = (filter: z.output<typeof keywordsFilter>): KeywordFilter => ({
  words: filter.key_words ?? [],
  onQuestion: filter.review_input ? (filter.preset_reply_input ?? '') : undefined,
  onAnswer: filter.review_output ? (filter.preset_reply_output ?? '') : undefined,
});
