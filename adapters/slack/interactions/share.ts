/** Shares a source or a private answer in a channel where the person may write. */

import type { ConversationsSelect, ModalView } from '@slack/types';
import { noteShare, sourcesOf, text } from '../../../src/kit/ladder.ts';
import { openReply, type ReplyDocument, sourceTitle } from '../../../src/kit.ts';
import type { Answer } from '../api/sender.ts';
import { isPrivate } from '../private-places.ts';
import type { SlackAction, SlackView } from '../receive/events.ts';
import { type ReadAction, readActionValue } from '../render/actions.ts';
import { chosenIn, fieldIn, input, modal, notice, option, optionalInput, select } from '../render/blocks.ts';
import { type Interaction, linksOf } from './deps.ts';
import { replyPress } from './replies.ts';
import { answerPosts, type Post, sourcePost } from './share-posts.ts';
import { openView } from './tell.ts';
import { words } from './words.ts';

export const SHARE = 'share';

/**
 * Opens the share form. After a press on a reply, it opens alone; after a press in the sources form (then `ts` is
 * absent), it opens on top of that form.
 */
export async function openShare(
  interaction: Interaction,
  { value, ts }: Pick<SlackAction, 'value'> & { readonly ts?: string },
): Promise<void> {
  const read = readActionValue(value);
  if (read === undefined) return;
  const prepare = async () => {
    const opened = await openToShare(interaction, read, ts);
    if (opened.kind === 'refused') return notice(words.shareTitle, opened.sentence);
    return shareForm(opened.reply, read, value);
  };
  await openView(interaction, words.shareTitle, prepare, ts === undefined ? 'views.push' : 'views.open');
}

/**
 * Reads the reply that is to be shared. A private reply offers its answer and its sources, any other reply only its
 * sources.
 */
async function openToShare(interaction: Interaction, read: ReadAction, ts?: string) {
  const action = isPrivate(read.reply) ? 'share' : 'shareSource';
  const { press, context } = replyPress(interaction, read, { action, ts });
  const opened = await openReply(press, context);
  return opened.kind === 'refused' ? opened : { ...opened, press };
}

export function shareForm(
  document: ReplyDocument,
  { reply, detail }: ReadAction,
  metadata: string,
): ModalView {
  const sources = sourcesOf(document);
  const answer = isPrivate(reply);
  if (!answer && sources.length === 0) return notice(words.shareTitle, words.noSources);
  const options = [
    ...(answer ? [option('The answer', ANSWER)] : []),
    ...sources.map(({ number, source }) =>
      option(`${number}. ${sourceTitle(source, number)}`, String(number)),
    ),
  ];
  const what = select('what', options, 'Choose', detail === '' ? options[0]?.value : detail);
  const where = answer ? 'Channel (if empty, this channel)' : 'Channel (if empty, this thread)';
  return modal({
    callback: SHARE,
    title: words.shareTitle,
    submit: 'Share',
    metadata,
    blocks: [input('what', 'What to share', what), optionalInput('where', where, CONVERSATIONS)],
  });
}

const ANSWER = 'answer';

const CONVERSATIONS: ConversationsSelect = {
  type: 'conversations_select',
  action_id: 'where',
  filter: {
    include: ['public', 'private', 'mpim'],
    exclude_bot_users: true,
    exclude_external_shared_channels: true,
  },
};

/** Shares what the person chose in the form. Resolves with the sentence about the result. */
export async function share(interaction: Interaction, view: SlackView): Promise<string> {
  const read = readActionValue(view.metadata);
  if (read === undefined) return words.stale;
  const opened = await openToShare(interaction, read);
  if (opened.kind === 'refused') return opened.sentence;
  const { reply } = opened;
  const what = chosenIn(view, 'what');
  const shared = { by: opened.by.id, agent: reply.agent };
  const place = placeOf(view, read);
  const { host } = interaction.deps;
  const put = async (posts: readonly Post[]) => {
    const sentence = await postAll(interaction, place, posts);
    const isShared = sentence === words.shared || sentence === words.sharedInThread;
    if (isShared || sentence === words.partlyShared)
      await noteShare({ press: opened.press, host }, opened.by, place.room);
    return sentence;
  };
  if (what === ANSWER && isPrivate(read.reply)) return put(answerPosts(reply, shared));
  const sources = sourcesOf(reply, { linkOf: linksOf(interaction, read.reply) });
  const source = sources.find(({ number }) => String(number) === what);
  return source === undefined ? words.sourceGone : put([sourcePost(source, shared)]);
}

interface Place {
  readonly room: string;
  readonly threadTs?: string;
  /** True if the person pressed the button in this room. That proves membership, so no further check is needed. */
  readonly own: boolean;
}

function placeOf(view: SlackView, { reply }: ReadAction): Place {
  const chosen = text(fieldIn(view, 'where').selected_conversation);
  if (chosen !== undefined && chosen !== reply.room) return { room: chosen, own: false };
  if (isPrivate(reply)) return { room: reply.room, own: false };
  return { room: reply.room, own: true, ...(chosen === undefined && { threadTs: reply.key }) };
}

async function postAll(interaction: Interaction, place: Place, posts: readonly Post[]): Promise<string> {
  const refusal = place.own ? undefined : await refusalAt(interaction, place.room);
  if (refusal !== undefined) return refusal;
  let threadTs = place.threadTs;
  for (const each of posts) {
    const posted = await post(interaction, { room: place.room, threadTs }, each);
    if (posted.kind !== 'done') return each === posts[0] ? reasonOf(interaction, posted) : words.partlyShared;
    // A long answer continues in the thread below its first message.
    threadTs ??= text(posted.body.ts);
  }
  return place.threadTs === undefined ? words.shared : words.sharedInThread;
}

const badForm = /^(?:invalid_(?!auth)|msg_|no_text)/;

/** Posts the message with blocks, or its text if Slack refuses the blocks. */
async function post(
  { deps, workspace }: Interaction,
  { room, threadTs }: { room: string; threadTs: string | undefined },
  { args, simple }: Post,
): Promise<Answer> {
  const to = { channel: room, thread_ts: threadTs };
  const posted = await deps.calls.call(workspace, 'chat.postMessage', { ...to, ...args });
  if (posted.kind !== 'refused' || !badForm.test(posted.error)) return posted;
  const { blocks: _blocks, ...rest } = args;
  return deps.calls.call(workspace, 'chat.postMessage', { ...to, ...rest, text: simple });
}

/**
 * Returns why the person cannot share in this room; undefined if they can. To find out, posts a note that only the
 * person sees. Slack accepts such a note only if the person is a member and the app may write there.
 */
async function refusalAt(interaction: Interaction, room: string): Promise<string | undefined> {
  const { deps, workspace, by } = interaction;
  const note = { channel: room, user: by.user, text: words.sharingHere };
  const noted = await deps.calls.call(workspace, 'chat.postEphemeral', note);
  if (noted.kind === 'done') return undefined;
  return noted.kind === 'unknown' ? words.trouble : reasonOf(interaction, noted);
}

const notInside = new Set(['not_in_channel', 'channel_not_found']);
const mayNot =
  /^(?:is_archived|no_permission|access_denied|restricted_action|messages_tab_disabled|posting_to)/;

function reasonOf({ deps }: Interaction, { kind, error }: Exclude<Answer, { kind: 'done' }>): string {
  if (kind === 'unknown') return words.unconfirmed;
  if (error === 'user_not_in_channel') return words.notMember;
  if (notInside.has(error)) return words.notInside(deps.settings.name);
  return mayNot.test(error) ? words.mayNotPost : words.trouble;
}
