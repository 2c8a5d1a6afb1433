import { type Conduct, type KeywordFilter, plainConduct } from '../agents/conduct.ts';
import { asFields, type Fields, idText } from '../http/fields.ts';
import { invalid } from '../http/refusal.ts';

/** The record of an assistant: what is documented of it, and how an assistant behaves that has it. */

type Kind = 'string' | 'number' | 'boolean' | 'array' | 'object';

/** Documented members with their types (platform contract ADM-4, ADM-6 to ADM-9, ADM-11). */
const RECORD: Readonly<Record<string, Kind>> = {
  masks: 'array',
  knowledge_bases: 'array',
  skills: 'array',
  mcps: 'array',
  data_sources: 'array',
  keywords_filter: 'object',
  feedback_accounts: 'array',
};
const KNOWLEDGE: Readonly<Record<string, Kind>> = {
  search_mode: 'string',
  k: 'number',
  doc_score: 'number',
  qa_score: 'number',
  metadata: 'string',
  show_reference: 'boolean',
};
const BUSINESS: Readonly<Record<string, Kind>> = { query_rewrite: 'boolean', divide_think: 'boolean' };
const each = (kind: Kind, ...names: readonly string[]): Readonly<Record<string, Kind>> =>
  Object.fromEntries(names.map((name) => [name, kind]));
const INFO: Readonly<Record<string, Kind>> = {
  ...each('string', 'name', 'avatar_url', 'description', 'prompt', 'prologue', 'robot_type', 'user_id'),
  ...each('string', 'split_type', 'load_type', 'spliter_json', 'product_position'),
  ...each('number', 'weight', 'chat_rounds'),
  ...each('string', 'flow_id', 'cluster_group_id', 'group_id', 'embedding_id'),
  ...each('array', 'user_skill_auths', 'category_ids'),
  ...each('boolean', 'need_summary', 'force_execute', 'open_filter', 'record_chat', 'is_published'),
  ...each('boolean', 'recommend_question', 'feedback', 'editable', 'question_guide', 'operator_execute'),
  ...each('object', 'knowledge_config', 'bi_config'),
};
const FILTER: Readonly<Record<string, Kind>> = {
  ...each('string', 'id', 'robot_id', 'preset_reply_input', 'preset_reply_output'),
  ...each('boolean', 'review_input', 'review_output'),
  key_words: 'array',
};

/** How the assistant behaves. Refuses members that are not of their documented type, and unknown workspaces. */
export function assistantConduct(
  record: Fields,
  workspaceId: (nameOrId: string) => string | undefined,
): Conduct {
  const known = checked(record, '', RECORD);
  const info = checked(record.info, 'info', INFO);
  const knowledge = checked(info.knowledge_config, 'info.knowledge_config', KNOWLEDGE);
  checked(info.bi_config, 'info.bi_config', BUSINESS);
  const prologue = text(info, 'prologue');
  return {
    ...plainConduct,
    title: text(info, 'name').trim() || 'assistant',
    greetings: prologue === '' ? [] : [{ languageCode: 'en-US', content: prologue }],
    prompt: text(info, 'prompt'),
    workspaces: workspacesOf(known.knowledge_bases, workspaceId),
    suggests: info.recommend_question !== false,
    turns: amount(info, 'chat_rounds'),
    published: info.is_published !== false,
    fragments: amount(knowledge, 'k'),
    leastScore: amount(knowledge, 'doc_score') ?? 0,
    showsReferences: knowledge.show_reference !== false,
    filter: filterOf(known.keywords_filter),
  };
}

/** The members of an object, each of its documented type or absent. `path` says in a refusal where the object stands. */
function checked(value: unknown, path: string, kinds: Readonly<Record<string, Kind>>): Fields {
  const fields = asFields(value ?? {});
  if (fields === undefined) throw invalid(`The parameter ${path} must be an object.`);
  for (const [name, kind] of Object.entries(kinds)) {
    const found = fields[name] ?? undefined;
    if (found === undefined || kindOf(found) === kind) continue;
    const article = /^[ao]/.test(kind) ? 'an' : 'a';
    throw invalid(`The parameter ${path === '' ? '' : `${path}.`}${name} must be ${article} ${kind}.`);
  }
  return fields;
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/** The workspaces of all knowledge bases, each a name, an id or an object with an id; none where none are named. */
function workspacesOf(
  bases: unknown,
  workspaceId: (nameOrId: string) => string | undefined,
): readonly string[] {
  if (!Array.isArray(bases)) return [];
  return bases.flatMap((base, index) => {
    const path = `knowledge_bases[${index}]`;
    const { workspaces } = checked(base, path, { workspaces: 'array' });
    const list: readonly unknown[] = Array.isArray(workspaces) ? workspaces : [];
    return list.map((workspace) => {
      const code = idText(workspace) ?? idText(asFields(workspace)?.id);
      if (code === undefined) throw invalid(`The parameter ${path}.workspaces must hold ids.`);
      const id = workspaceId(code);
      if (id === undefined) throw invalid(`The knowledge workspace ${code} is unknown.`);
      return id;
    });
  });
}

function filterOf(value: unknown): KeywordFilter | undefined {
  if (value === undefined || value === null) return undefined;
  const filter = checked(value, 'keywords_filter', FILTER);
  const words: unknown = filter.key_words ?? [];
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
    throw invalid('The parameter keywords_filter.key_words must be an array of strings.');
  }
  return {
    words,
    onQuestion: filter.review_input === true ? text(filter, 'preset_reply_input') : undefined,
    onAnswer: filter.review_output === true ? text(filter, 'preset_reply_output') : undefined,
  };
}

/** A member that was checked to be a string or absent. */
function text(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function amount(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  if (typeof value !== 'number') return undefined;
  if (!(value >= 0 && Number.isFinite(value)))
    throw invalid(`The parameter ${name} must be a number from 0.`);
  return value;
}
