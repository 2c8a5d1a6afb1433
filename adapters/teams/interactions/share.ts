/** Shares a source or a private answer in a conversation that the person belongs to. */

import { defined, text } from '../../../src/kit/json.ts';
import { sourcesOf } from '../../../src/kit/sources.ts';
import { noteShare, openReply, type Person, type ReplyDocument, refused } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { certainlyNotDone, type Sent } from '../api/connector.ts';
import { isClosed } from '../api/errors.ts';
import { conversationId, readConversation } from '../ids.ts';
import { button } from '../render/buttons.ts';
import { cardOf } from '../render/card.ts';
import type { TeamsMessage } from '../render/message.ts';
import { line } from '../render/runs.ts';
import { answerPosts, shareForm, sourcePost, WHERE_INPUT } from '../render/share-posts.ts';
import { BACK } from '../render/sources-card.ts';
import { words as labels } from '../render/words.ts';
import type { InteractionDeps, Told } from './deps.ts';
import { linksOf, type ReplyPress, renderContextOfReply } from './press.ts';
import { roomPlace } from './shared-rooms.ts';
import { words } from './words.ts';

/** Value of the form's choice for the conversation in which the person pressed. */
const HERE = 'here';

/** Renders the messages of a share. Called only when the target is known, because loading images takes time. */
type RenderPosts = () => Promise<readonly TeamsMessage[]>;

/** Handles a press on Share: shares a source, or a whole answer that only its asker can see. */
export async function pressShare(pressed: ReplyPress): Promise<Told> {
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

async function formOf(
  { read: { kind, reply, detail }, place, deps }: ReplyPress,
  others: readonly TeamsPlace[],
) {
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
  const back = button('sources', labels.back, reply, BACK);
  return shareForm(choices, button(kind, labels.share, reply, detail), back);
}

/** Shares once per press. If Teams delivers the press again, nothing is posted again. */
async function shareTo(where: string, by: Person, posts: RenderPosts, pressed: ReplyPress): Promise<Told> {
  const { deps, read, place, key, press } = pressed;
  const to = where === HERE ? herePlace(place) : await otherPlace(pressed, by, where);
  if (typeof to === 'string') return refused(to);
  let failed: string | undefined;
  await deps.once(`share ${place.tenant} ${key}`, async () => {
    failed = await put(deps, to, await posts());
    if (failed === undefined || failed === words.partlyShared)
      await noteShare({ press, host: deps.host }, by, readConversation(to.conversation).room);
  });
  if (failed !== undefined) return refused(failed);
  if (read.inputs[WHERE_INPUT] === undefined) return { kind: 'done', sentence: words.shared };
  const card = cardOf([line(words.shared)], [button('sources', labels.back, read.reply, BACK)]);
  return { kind: 'card', card };
}

/**
 * Returns the conversation of the press. If it is a one-to-one chat, returns the sentence with which sharing is
 * refused. Does not check that the person is a member of the conversation, because only members can press in it.
 */
const herePlace = (place: TeamsPlace): TeamsPlace | string =>
  place.kind === 'direct' ? words.nowhere : place;

/**
 * Returns the chosen conversation. Returns a sentence with the reason for the refusal if the app is not a member, or if
 * Teams does not confirm that the person is one.
 */
async function otherPlace(
  { deps, place }: ReplyPress,
  by: Person,
  room: string,
): Promise<TeamsPlace | string> {
  const found = await roomPlace(deps.places, place.tenant, room);
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
