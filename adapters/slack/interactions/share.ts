/** A source, or in private an answer, given to others by somebody who may write there. */

import type { InputBlock, ModalView, StaticSelect } from '@slack/types';
import { plain, text } from '../../../src/kit/json.ts';
import { sourcesOf } from '../../../src/kit/sources.ts';
import { type NumberedSource, type ReplyDocument, sourceTitle } from '../../../src/kit.ts';
import { isPrivate } from '../private.ts';
import type { SlackAction, SlackView } from '../receive/events.ts';
import { type ReadAction, readActionValue } from '../render/actions.ts';
import { admit } from './admit.ts';
import { modal, notice, option, plainText, select } from './blocks.ts';
import type { Called, Failed } from './calls.ts';
import { type Admitted, linksOf, type Scene, threadAt } from './deps.ts';
import { openView, updateView } from './open-view.ts';
import { type Press, replyOf } from './press.ts';
import { answerPosts, type Post, sourcePost } from './share-posts.ts';
import { words } from './words.ts';

export const SHARE = 'share';

/** On a reply: of its sources, or of a private answer the answer. */
export function pressShare(scene: Scene, press: Press): Promise<void> {
  return openShare(scene, press.action.value);
}

/** Beside a source that is shown in a form: that one is chosen. */
export function shareShown(scene: Scene, action: SlackAction): Promise<void> {
  return openShare(scene, action.value, { onTop: true });
}

/** @param carried by the button, and by the form from then on */
async function openShare(scene: Scene, carried: string, over: { onTop?: true } = {}): Promise<void> {
  const read = readActionValue(carried);
  if (read === undefined) return;
  await openView(scene, {
    ...over,
    title: words.shareTitle,
    prepare: async () => {
      const admission = await admit(scene);
      if (admission.kind === 'refused') return notice(words.shareTitle, admission.tellUser);
      return shareForm(await replyOf(scene, read.reply), read, carried);
    },
  });
}

export function shareForm(
  document: ReplyDocument | undefined,
  { reply, detail }: ReadAction,
  metadata: string,
): ModalView {
  if (document === undefined) return notice(words.shareTitle, words.stale);
  const sources = sourcesOf(document);
  const answer = isPrivate(reply);
  if (!answer && sources.length === 0) return notice(words.shareTitle, words.noSources);
  const what = choiceOf(sources, { answer, chosen: detail });
  const where = answer ? 'Another channel than this one' : 'A channel, if not this thread';
  return modal({
    callback: SHARE,
    title: words.shareTitle,
    submit: 'Share',
    metadata,
    blocks: [
      { type: 'input', block_id: 'what', label: plainText('What', 200), element: what },
      { ...whereBlock(where) },
    ],
  });
}

const ANSWER = 'answer';

function choiceOf(
  sources: readonly NumberedSource[],
  { answer, chosen }: { answer: boolean; chosen: string },
): StaticSelect {
  const options = [
    ...(answer ? [option('The answer', ANSWER)] : []),
    ...sources.map(({ number, source }) =>
      option(`${number}. ${sourceTitle(source, number)}`, String(number)),
    ),
  ];
  const [first] = options;
  return select('what', options, { placeholder: 'Choose', initial: chosen === '' ? first?.value : chosen });
}

function whereBlock(label: string): InputBlock {
  return {
    type: 'input',
    block_id: 'where',
    optional: true,
    label: plainText(label, 200),
    element: {
      type: 'conversations_select',
      action_id: 'where',
      filter: {
        include: ['public', 'private', 'mpim'],
        exclude_bot_users: true,
        exclude_external_shared_channels: true,
      },
    },
  };
}

/** The acknowledgement's body: the form says what goes on, until it is known how it ended. */
export function sharingNow(): object {
  return { response_action: 'update', view: notice(words.shareTitle, words.sharing) };
}

/** Shares, and tells in the form how it went. */
export async function share(scene: Scene, view: SlackView): Promise<void> {
  await updateView(scene, view.id, notice(words.shareTitle, await shareOrSay(scene, view)));
}

async function shareOrSay(scene: Scene, view: SlackView): Promise<string> {
  const read = readActionValue(view.metadata);
  if (read === undefined) return words.stale;
  const admission = await admit(scene);
  if (admission.kind === 'refused') return admission.tellUser;
  const document = await replyOf(scene, read.reply);
  if (document === undefined) return words.stale;
  const what = text(plain(plain(view.values.what?.what).selected_option).value);
  const posts = await postsOf(admission.scene, { document, read, what });
  if (posts === undefined) return words.sourceGone;
  return put(admission.scene, placeOf(view, read), posts);
}

interface Wanted {
  readonly document: ReplyDocument;
  readonly read: ReadAction;
  readonly what: string | undefined;
}

async function postsOf(
  scene: Admitted,
  { document, read, what }: Wanted,
): Promise<readonly Post[] | undefined> {
  const { person, workspace, deps } = scene;
  if (what === ANSWER && isPrivate(read.reply)) {
    const place = await deps.places.find(threadAt(workspace, read.reply));
    return answerPosts(document, { by: person.id, question: place?.question });
  }
  const linkOf = linksOf(scene, read.reply);
  const source = sourcesOf(document, { linkOf }).find(({ number }) => String(number) === what);
  return source && [sourcePost(source, { by: person.id, agent: document.agent })];
}

interface Place {
  readonly room: string;
  readonly threadTs?: string;
  /** Whether the person pressed the button here, so that they are a member. */
  readonly own: boolean;
}

function placeOf({ values }: SlackView, { reply }: ReadAction): Place {
  const chosen = text(plain(values.where?.where).selected_conversation);
  if (chosen !== undefined && chosen !== reply.room) return { room: chosen, own: false };
  if (isPrivate(reply)) return { room: reply.room, own: false };
  return chosen === undefined
    ? { room: reply.room, threadTs: reply.key, own: true }
    : { room: reply.room, own: true };
}

async function put(scene: Admitted, place: Place, posts: readonly Post[]): Promise<string> {
  const refusal = place.own ? undefined : await refusalAt(scene, place.room);
  if (refusal !== undefined) return refusal;
  let threadTs = place.threadTs;
  for (const each of posts) {
    const posted = await post(scene, { room: place.room, threadTs }, each);
    if (!posted.ok) return each === posts[0] ? reasonOf(scene, posted) : words.partlyShared;
    // A long answer goes on in the thread of its beginning.
    threadTs ??= text(posted.answer.ts);
  }
  return place.threadTs === undefined ? words.shared : words.sharedInThread;
}

const badForm = /^(?:invalid_(?!auth)|msg_|no_text)/;

/** Blocks that Slack does not take become text. */
async function post(
  { deps, workspace }: Scene,
  { room, threadTs }: { room: string; threadTs: string | undefined },
  { args, simple }: Post,
): Promise<Called> {
  const to = { channel: room, ...(threadTs !== undefined && { thread_ts: threadTs }) };
  const posted = await deps.calls.call(workspace, 'chat.postMessage', { ...to, ...args });
  if (posted.ok || !badForm.test(posted.error)) return posted;
  const { blocks: _blocks, ...rest } = args;
  return deps.calls.call(workspace, 'chat.postMessage', { ...to, ...rest, text: simple });
}

/** A note that only a member can be shown tells whether the person is one, and whether the app may write there. */
async function refusalAt(scene: Admitted, room: string): Promise<string | undefined> {
  const { deps, workspace, person } = scene;
  const note = { channel: room, user: person.id, text: words.sharingHere };
  const noted = await deps.calls.call(workspace, 'chat.postEphemeral', note);
  return noted.ok ? undefined : reasonOf(scene, { error: noted.error, lost: false });
}

const notInside = new Set(['not_in_channel', 'channel_not_found']);
const mayNot =
  /^(?:is_archived|no_permission|access_denied|restricted_action|messages_tab_disabled|posting_to)/;

function reasonOf({ deps }: Scene, { error, lost }: Omit<Failed, 'ok'>): string {
  if (lost) return words.unconfirmed;
  if (error === 'user_not_in_channel') return words.notMember;
  if (notInside.has(error)) return words.notInside(deps.settings.name);
  return mayNot.test(error) ? words.mayNotPost : words.trouble;
}
