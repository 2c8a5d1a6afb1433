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
    robot_type: some('Type, passed on as given'),
    user_id: some('Owner'),
    split_type: some('How documents are split, passed on as given'),
    load_type: some('How documents are loaded, passed on as given'),
    spliter_json: some('Settings of the splitter, JSON'),
    product_position: some('Position'),
    weight: amount('Weight in lists'),
    chat_rounds: amount('Number of earlier turns that are used'),
    flow_id: some('Uuid of the flow'),
    cluster_group_id: some('Uuid of the cluster group'),
    group_id: some('Uuid of the group'),
    embedding_id: some('Uuid of the embedding'),
    user_skill_auths: list('Skills of the user'),
    category_ids: uuids('Uuids of the categories'),
    need_summary: yes('Whether answers are summarized'),
    force_execute: yes('Whether skills are always executed'),
    open_filter: yes('Whether the key word filter is on'),
    record_chat: yes('Whether conversations are recorded'),
    is_published: yes('Whether it can be asked'),
    recommend_question: yes('Whether questions are recommended'),
    feedback: yes('Whether feedback is asked for'),
    editable: yes('Whether it may be edited'),
    question_guide: yes('Whether questions are guided'),
    operator_execute: yes('Whether operators are executed'),
    knowledge_config: z
      .strictObject({
        search_mode: some('Search mode, passed on as given'),
        k: amount('Fragments that are used'),
        doc_score: amount('Minimum score of a fragment'),
        qa_score: amount('Minimum score of a question-answer pair'),
        metadata: some('Metadata'),
        show_reference: yes('Whether references are shown'),
      })
      .describe('How knowledge is searched')
      .optional(),
    bi_config: z
      .strictObject({
        query_rewrite: yes('Whether queries are rewritten'),
        divide_think: yes('Whether thinking is divided'),
      })
      .describe('Settings of data questions')
      .optional(),
  })
  .describe('The assistant itself');

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
        classification_name: some('Its name'),
        classification_icon: some('Its icon'),
        workspaces: list('Its knowledge workspaces'),
      }),
    )
    .describe('Knowledge')
    .optional(),
  skills: groups('Skills'),
  mcps: list('Data models'),
  data_sources: groups('Data sources'),
  keywords_filter: wired(
    z
      .strictObject({
        id: some('Its id'),
        robot_id: some('Uuid of the assistant'),
        key_words: z.array(z.string()).describe('Key words').optional(),
        review_input: yes('Whether questions are looked at'),
        preset_reply_input: some('What is answered then'),
        review_output: yes('Whether answers are looked at'),
        preset_reply_output: some('What is answered then'),
      })
      .describe('Filter by key words'),
    {},
  ).optional(),
  feedback_accounts: list('Who gets the feedback'),
};
