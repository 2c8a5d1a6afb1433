import { z } from 'zod';
import { wired } from '../wire/facts.ts';
import { anyText, flag, number } from '../wire/members.ts';

/**
 * The fields of an assistant of the lite interface. They have the platform's own names, including the misspelled
 * `spliter_json` (platform contract ADM-6 to ADM-12). Fields that the documentation does not name are passed on.
 */

const some = (doc: string) => anyText(doc).optional();
/** Text that the platform documents as a uuid. The client passes any text on. */
const uuid = (doc: string) => wired(z.string().describe(doc), { format: 'uuid' }).optional();
const amount = (doc: string) => number(doc).optional();
const yes = (doc: string) => flag(doc).optional();
const list = (doc: string) => z.array(z.unknown()).describe(doc).optional();
const uuids = (doc: string) =>
  z
    .array(wired(z.string().describe('Uuid'), { format: 'uuid' }))
    .describe(doc)
    .optional();

export const assistantInfo = z
  .looseObject({
    name: some('Name of the assistant'),
    avatar_url: some('Address of the picture of the assistant'),
    description: some('Description of the assistant'),
    prompt: some('Prompt of the assistant'),
    prologue: some('Greeting with which the assistant begins a new conversation'),
    robot_type: some('Type of the assistant; the client passes this value on unchanged'),
    user_id: some('Id of the user who owns the assistant'),
    split_type: some('How documents are split; the client passes this value on unchanged'),
    load_type: some('How documents are loaded; the client passes this value on unchanged'),
    spliter_json: some('Settings for splitting documents, as JSON'),
    product_position: some('Product position of the assistant; the client passes this value on unchanged'),
    weight: amount('Weight of the assistant in lists'),
    chat_rounds: amount('Number of earlier questions, with their answers, that the assistant uses'),
    flow_id: uuid('Uuid of the flow of the assistant'),
    cluster_group_id: uuid('Uuid of the cluster group of the assistant'),
    group_id: uuid('Uuid of the group of the assistant'),
    embedding_id: uuid('Uuid of the embedding of the assistant'),
    user_skill_auths: list('Skills of the user'),
    category_ids: uuids('Uuids of the categories of the assistant'),
    need_summary: yes('Whether answers are summarized'),
    force_execute: yes('Whether skills are always executed'),
    open_filter: yes('Whether the keyword filter is on'),
    record_chat: yes('Whether conversations are recorded'),
    is_published: yes('Whether the assistant is published, so that people can ask it'),
    recommend_question: yes('Whether the assistant suggests questions'),
    feedback: yes('Whether the assistant asks for feedback'),
    editable: yes('Whether the assistant may be edited'),
    question_guide: yes('Whether questions are guided; the client does not interpret this value'),
    operator_execute: yes('Whether operators are executed; the client does not interpret this value'),
    knowledge_config: z
      .looseObject({
        search_mode: some('Search mode; the client passes this value on unchanged'),
        k: amount('Maximum number of passages from which the assistant answers'),
        doc_score: amount('Minimum score of a passage from which the assistant answers'),
        qa_score: amount('Minimum score of a question-answer pair from which the assistant answers'),
        metadata: some('Metadata that the search uses'),
        show_reference: yes('Whether the answer shows its sources'),
      })
      .describe('How the assistant searches knowledge')
      .optional(),
    bi_config: z
      .looseObject({
        query_rewrite: yes('Whether queries are rewritten'),
        divide_think: yes('Whether thinking is divided; the client does not interpret this value'),
      })
      .describe('Settings for questions about data')
      .optional(),
  })
  .describe('Settings of the assistant');

const groups = (doc: string) =>
  z
    .array(z.looseObject({ skill_group_id: uuid('Uuid of the skill group') }))
    .describe(doc)
    .optional();

export const assistantMembers = {
  masks: z
    .array(z.looseObject({ mask_set_id: uuid('Uuid of the mask set') }))
    .describe('Mask sets of the assistant')
    .optional(),
  knowledge_bases: z
    .array(
      z.looseObject({
        classification_id: some('Id of the category'),
        classification_name: some('Name of the category'),
        classification_icon: some('Icon of the category'),
        workspaces: list('Knowledge workspaces of the category'),
      }),
    )
    .describe('Knowledge of the assistant')
    .optional(),
  skills: groups('Groups of skills that the assistant can use'),
  mcps: list('Data models of the assistant'),
  data_sources: groups('Groups of data sources that the assistant can use'),
  keywords_filter: wired(
    z
      .looseObject({
        id: some('Id of the filter'),
        robot_id: uuid('Uuid of the assistant'),
        key_words: z.array(z.string()).describe('Keywords of the filter').optional(),
        review_input: yes('Whether the filter checks questions for the keywords'),
        preset_reply_input: some('The answer to a question that contains a keyword'),
        review_output: yes('Whether the filter checks answers for the keywords'),
        preset_reply_output: some('Text that replaces each answer that contains a keyword'),
      })
      .describe('Filter that checks questions and answers for keywords'),
    {},
  ).optional(),
  feedback_accounts: list('Accounts that receive the feedback of people'),
};
