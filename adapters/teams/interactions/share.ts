/** Shares a source or a private answer in a conversation that the person belongs to. */

import { noteShare, type Plain, refused, sourcesOf, text } from '../../../src/kit/ladder.ts';
import { defined, openReply, type Person, type ReplyDocument } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { certainlyNotDone, type Sent } from '../api/connector.ts';
import { isClosed } from '../api/errors.ts';
import { conversationId, readConversation } from '../ids.ts';
import { resultCard } from '../render/forms.ts';
import type { TeamsMessage } from '../render/message.ts';
import { answerPosts, shareForm, sourcePost, WHERE_INPUT } from '../render/share-posts.ts';
import type { InteractionDeps, PressAnswer } from './deps.ts';
import { linksOf, type ReplyPress, renderContextOfReply } from './press.ts';
import { words } from './words.ts';

/** Value of the form's choice for the conversation in which the person pressed. */
const HERE = 'here';

/** Renders the messages of a share. Called only when the target is known, because loading images takes time. */
type RenderPosts = () => Promise<readonly TeamsMessage[]>;

/** Handles a press on Share: shares a source, or a whole answer that only its asker can see. */
export async function pressShare(pressed: ReplyPress): Promise<PressAnswer> {
  const { press, context, read, place, deps } = pressed;
  if (read.kind === 'share' && press.thread.kind !== 'direct') return refused(words.stale);
  const opened = await openReply(press, context);
  if (opened.kind === 'refused') return opened;
  const posts = postsOf(pressed, opened.by, opened.reply);
  if (posts === undefined) return refused(words.sourceGone);
  const where = text(read.inputs[WHERE_INPUT]);
  if (where !== undefined) return shareTo(where, opened.by, posts, pressed);
  const others = await deps.sharedRooms.rooms(place, pressed.by);
  if (others.length > 0) return { kind: 'card', card: await formOf(pressed, others) };
  return shareTo(HERE, opened.by, posts, pressed);
}

function postsOf(
  pressed: ReplyPress,
  { name: by }: Person,
  document: ReplyDocument,
): RenderPosts | undefined {
  const { read } = pressed;
  const { agent, question } = document;
  const shared = { by, ...defined({ agent, question }) };
  if (read.kind === 'share')
    return async () => answerPosts(document, shared, await renderContextOfReply(pressed, document));
  const sources = sourcesOf(document, { linkOf: linksOf(pressed) });
  const source = sources.find(({ number }) => String(number) === read.detail);
  return source && (async () => [sourcePost(source, shared)]);
}

async function formOf({ read, place, deps }: ReplyPress, others: readonly TeamsPlace[]): Promise<Plain> {
  const named = await Promise.all(
    others.map(async (other) => ({
      id: readConversation(other.conversation).room,
      name: await deps.nameOf(other),
    })),
  );
  // A private answer in a channel can be shared in that channel. A one-to-one chat is not offered, because it has no
  // other members.
  const here = { id: HERE, name: place.kind === 'room' ? words.hereInThread : words.hereInChat };
  const choices = place.kind === 'direct' ? named : [here, ...named];
  return shareForm(choices, read);
}

/** Shares once per press. If Teams delivers the press again, nothing is posted again. */
async function shareTo(
  where: string,
  by: Person,
  posts: RenderPosts,
  pressed: ReplyPress,
): Promise<PressAnswer> {
  const { deps, read, place, key, press } = pressed;
  const to = await targetOf(pressed, by, where);
  if (typeof to === 'string') return refused(to);
  let failed: string | undefined;
  const { tenant } = place;
  const post = async () => {
    failed = await put(deps, to, await posts());
    if (failed === undefined || failed === words.partlyShared)
      await noteShare({ press, host: deps.host }, by, readConversation(to.conversation).room);
  };
  await deps.once(`share ${tenant} ${key}`, post, { tenant, person: by.id });
  if (failed !== undefined) return refused(failed);
  if (read.inputs[WHERE_INPUT] === undefined) return { kind: 'done', sentence: words.shared };
  return { kind: 'card', card: resultCard(words.shared, read.reply) };
}

/**
 * Returns the conversation in which to share. Returns a sentence with the reason for a refusal if it is a one-to-one chat,
 * if the app is not a member, or if Teams does not confirm that the person is one. In the conversation of the press, the
 * person is a member, because only members can press there.
 */
async function targetOf(
  { deps, place }: ReplyPress,
  by: Person,
  where: string,
): Promise<TeamsPlace | string> {
  if (where === HERE) return place.kind === 'direct' ? words.nowhere : place;
  const found = await deps.sharedRooms.find(place.tenant, where);
  if (found === undefined) return words.mayNotPost;
  return (await deps.people.isMember(found, by)) ? found : words.notMember;
}

/**
 * Posts all messages; in a channel, a long answer continues in the thread of its first message. Returns why posting
 * failed, if it did.
 */
async function put(
  deps: Pick<InteractionDeps, 'posts' | 'places'>,
  place: TeamsPlace,
  posts: readonly TeamsMessage[],
): Promise<string | undefined> {
  let to = place.conversation;
  for (const post of posts) {
    const sent = await deps.posts.send({ ...place, conversation: to }, post);
    if (sent.kind === 'refused' && isClosed(sent)) await deps.places.close({ ...place, conversation: to });
    if (sent.kind !== 'done') return post === posts[0] ? reasonOf(sent) : words.partlyShared;
    const { room, root } = readConversation(to);
    if (place.kind === 'room' && root === undefined && sent.id !== undefined)
      to = conversationId({ room, root: sent.id });
  }
  return undefined;
}

function reasonOf(sent: Exclude<Sent, { kind: 'done' }>): string {
  if (!certainlyNotDone(sent)) return words.unconfirmed;
  return sent.kind === 'refused' && sent.meaning === 'gone' ? words.mayNotPost : words.trouble;
}
