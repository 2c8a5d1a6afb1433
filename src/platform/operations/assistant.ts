import { z } from 'zod';
import { wired } from '../wire/facts.ts';
import { anyText, flag, number } from '../wire/members.ts';

/**
 * The members of an assistant of the lite interface. They have the platform's own names, including the misspelled
 * `spliter_json` (platform contract ADM-6 to ADM-12).
 */

const some = (doc: string) => anyText(doc).optional();
const amount = (doc: string) => number(doc).optional();
const yes = (doc: string) => flag(doc).optional();
const list = (doc: string) => z.array(z.unknown()).describe(doc).optional();
const uuids = (doc: string) => z.array(z.string()).describe(doc).optional();

export const assistantInfo = z
  .strictObject({
    name: some('Name'),
    avatar_url: some('Address of the picture'),
    description: some('Description'),
    prompt: some('Prompt'),
    prologue: some('Greeting of a new conversation'),
    robot_type: some('Type of the assistant; sent to the platform unchanged'),
    user_id: some('Owner'),
    split_type: some('How documents are split; sent to the platform unchanged'),
    load_type: some('How documents are loaded; sent to the platform unchanged'),
    spliter_json: some('Settings of the splitter, as JSON'),
    product_position: some('Position'),
    weight: amount('Weight in lists'),
    chat_rounds: amount('Number of earlier questions, with their answers, that the assistant uses'),
    flow_id: some('Uuid of the flow'),
    cluster_group_id: some('Uuid of the cluster group'),
    group_id: some('Uuid of the group'),
    embedding_id: some('Uuid of the embedding'),
    user_skill_auths: list('Skills of the user'),
    category_ids: uuids('Uuids of the categories'),
    need_summary: yes('Whether answers are summarized'),
    force_execute: yes('Whether skills are always executed'),
    open_filter: yes('Whether the keyword filter is on'),
    record_chat: yes('Whether conversations are recorded'),
    is_published: yes('Whether the assistant is published, so that people can ask it'),
    recommend_question: yes('Whether the assistant suggests questions'),
    feedback: yes('Whether the assistant asks for feedback'),
    editable: yes('Whether the assistant may be edited'),
    question_guide: yes('Whether questions are guided'),
    operator_execute: yes('Whether operators are executed'),
    knowledge_config: z
      .strictObject({
        search_mode: some('Search mode; sent to the platform unchanged'),
        k: amount('Number of passages that are used'),
        doc_score: amount('Minimum score of a passage'),
        qa_score: amount('Minimum score of a question-answer pair'),
        metadata: some('Metadata'),
        show_reference: yes('Whether references are shown'),
      })
      .describe('How the assistant searches knowledge')
      .optional(),
    bi_config: z
      .strictObject({
        query_rewrite: yes('Whether queries are rewritten'),
        divide_think: yes('Whether thinking is divided'),
      })
      .describe('Settings of data questions')
      .optional(),
  })
  .describe('Settings of the assistant itself');

const groups = (doc: string) =>
  z
    .array(z.strictObject({ skill_group_id: some('Uuid of the group') }))
    .describe(doc)
    .optional();

export const assistantMembers = {
  masks: z
    .array(z.strictObject({ mask_set_id: some('Uuid of the mask set') }))
    .describe('Masks')
    .optional(),
  knowledge_bases: z
    .array(
      z.strictObject({
        classification_id: some('Category'),
        classification_name: some('Name of the category'),
        classification_icon: some('Icon of the category'),
        workspaces: list('Knowledge workspaces of the category'),
      }),
    )
    .describe('Knowledge of the assistant')
    .optional(),
  skills: groups('Skills'),
  mcps: list('Data models'),
  data_sources: groups('Data sources'),
  keywords_filter: wired(
    z
      .strictObject({
        id: some('Id of the filter'),
        robot_id: some('Uuid of the assistant'),
        key_words: z.array(z.string()).describe('Keywords').optional(),
        review_input: yes('Whether questions are checked for the keywords'),
        preset_reply_input: some('Text that is sent instead of an answer when a question contains a keyword'),
        review_output: yes('Whether answers are checked for the keywords'),
        preset_reply_output: some('Text that replaces an answer that contains a keyword'),
      })
      .describe('Filter by keywords'),
    {},
  ).optional(),
  feedback_accounts: list('Accounts that receive the feedback'),
};
