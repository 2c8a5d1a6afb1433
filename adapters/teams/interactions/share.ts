/** Shares a source or a private answer in a conversation of which the person is a member. */

import { defined, text } from '../../../src/kit/json.ts';
import { sourcesOf } from '../../../src/kit/sources.ts';
import { openReply, type Person, type ReplyDocument, refused } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { certainlyNotDone, type Sent } from '../api/connector.ts';
import { conversationId, readConversation } from '../ids.ts';
import { button } from '../render/buttons.ts';
import { cardOf } from '../render/card.ts';
import type { TeamsMessage } from '../render/message.ts';
import { line } from '../render/runs.ts';
import { answerPosts, shareForm, sourcePost, WHERE_INPUT } from '../render/share-posts.ts';
import { BACK } from '../render/sources-card.ts';
import { words as labels } from '../render/words.ts';
import type { InteractionDeps, Told } from './deps.ts';
import { linksOf, lookOfReply, type ReplyPress } from './press.ts';
import { roomPlace } from './shared-rooms.ts';
import { words } from './words.ts';

/** Choice that means the conversation in which the person pressed. */
const HERE = 'here';

/** Renders the posts; called once the target is known, because loading images takes time. */
type RenderPosts = () => Promise<readonly TeamsMessage[]>;

/** Handles a press on Share: shares a source, or the whole of an answer that only its asker saw. */
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
    return async () => answerPosts(document, shared, await lookOfReply(pressed, document));
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
  // A private answer in a channel can be shared with that channel; a one-to-one chat has no other members.
  const here = { id: HERE, name: place.kind === 'room' ? words.hereInThread : words.hereInChat };
  const choices = place.kind === 'direct' ? named : [here, ...named];
  const back = button('sources', labels.back, reply, BACK);
  return shareForm(choices, button(kind, labels.share, reply, detail), back);
}

/** Posts once per press; a repeated press gets the same answer. */
async function shareTo(where: string, by: Person, posts: RenderPosts, pressed: ReplyPress): Promise<Told> {
  const { deps, read, place, key } = pressed;
  const to = where === HERE ? herePlace(place) : await otherPlace(pressed, by, where);
  if (typeof to === 'string') return refused(to);
  let failed: string | undefined;
  await deps.once(`share ${place.tenant} ${key}`, async () => {
    failed = await put(deps, to, await posts());
  });
  if (failed !== undefined) return refused(failed);
  if (read.inputs[WHERE_INPUT] === undefined) return { kind: 'done', sentence: words.shared };
  const card = cardOf([line(words.shared)], [button('sources', labels.back, read.reply, BACK)]);
  return { kind: 'card', card };
}

/** Returns the place of the press, without a membership check: a person who pressed there is a member. */
const herePlace = (place: TeamsPlace): TeamsPlace | string =>
  place.kind === 'direct' ? words.nowhere : place;

/** Returns the place if the bridge and, by a look-up in Teams, the person are members; otherwise the refusal. */
async function otherPlace(
  { deps, place }: ReplyPress,
  by: Person,
  room: string,
): Promise<TeamsPlace | string> {
  const found = await roomPlace(deps.places, place.tenant, room);
  if (found === undefined) return words.mayNotPost;
  return (await deps.people.isMember(found, by)) ? found : words.notMember;
}

/** Posts all messages, a long answer in the thread of its first post. Returns the failure's reason, if any. */
async function put(
  deps: Pick<InteractionDeps, 'posts'>,
  place: TeamsPlace,
  posts: readonly TeamsMessage[],
): Promise<string | undefined> {
  let to = place.conversation;
  for (const post of posts) {
    const sent = await deps.posts.send({ ...place, conversation: to }, post);
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
