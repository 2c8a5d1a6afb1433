/** A source, or of a private answer the answer, given to others by somebody who is among them. */

import { text } from '../../../src/kit/json.ts';
import { sourcesOf } from '../../../src/kit/sources.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { neverCame, type Sent } from '../api/connector.ts';
import { conversationId, readConversation } from '../ids.ts';
import type { ActionKind } from '../render/actions.ts';
import { button } from '../render/buttons.ts';
import { cardOf } from '../render/card.ts';
import type { TeamsMessage } from '../render/message.ts';
import { line } from '../render/runs.ts';
import { answerPosts, shareForm, sourcePost, WHERE_INPUT } from '../render/share-posts.ts';
import { BACK } from '../render/sources-card.ts';
import { words as labels } from '../render/words.ts';
import { lookWithImages } from '../write/look.ts';
import { linksOf, replyOf } from './admit.ts';
import { refused, said, type Told } from './answers.ts';
import type { Admitted, Press } from './deps.ts';
import { roomPlace } from './shared-rooms.ts';
import { words } from './words.ts';

/** In place of an id: where the person pressed. */
const HERE = 'here';

interface Sharing {
  readonly kind: ActionKind;
  /** Made when it is known where to: images take their time. */
  posts(): Promise<readonly TeamsMessage[]>;
  /** Whether it may be shared where it was pressed. */
  readonly here: boolean;
}

/** The whole answer, which only its asker saw. */
export async function pressShare(scene: Admitted, press: Press): Promise<Told> {
  if (press.thread.kind !== 'direct') return refused(words.stale);
  const document = await replyOf(scene, press);
  if (document === undefined) return refused(words.stale);
  const { deps } = scene;
  const posts = async () => {
    const look = await lookWithImages(document, {
      ...{ deps: deps.looking, images: new Map(), signal: deps.signal },
      turn: { message: { id: press.reply.question, thread: press.thread } },
    });
    return answerPosts(document, sharedBy(scene, document), look);
  };
  // What one person saw in a channel may go to all of it; in the own chat there is nobody else.
  return share(scene, press, { kind: 'share', posts, here: scene.place.kind !== 'direct' });
}

export async function pressShareSource(scene: Admitted, press: Press): Promise<Told> {
  const document = await replyOf(scene, press);
  if (document === undefined) return refused(words.stale);
  const linkOf = linksOf(scene, press);
  const source = sourcesOf(document, { linkOf }).find(({ number }) => String(number) === press.detail);
  if (source === undefined) return refused(words.sourceGone);
  const posts = async () => [sourcePost(source, sharedBy(scene, document))];
  return share(scene, press, { kind: 'shareSource', posts, here: scene.place.kind !== 'direct' });
}

const sharedBy = ({ person }: Admitted, { agent, question }: ReplyDocument) => ({
  by: person.name,
  ...(agent !== undefined && { agent }),
  ...(question !== undefined && { question }),
});

async function share(scene: Admitted, press: Press, sharing: Sharing): Promise<Told> {
  const where = text(press.inputs[WHERE_INPUT]);
  if (where !== undefined) return shareTo(scene, press, { ...sharing, where });
  const others = await scene.deps.sharedRooms.rooms(scene.place, scene.by);
  if (others.length > 0) return { kind: 'card', card: await formOf(scene, press, { ...sharing, others }) };
  return sharing.here ? shareTo(scene, press, { ...sharing, where: HERE }) : refused(words.nowhere);
}

async function formOf(
  scene: Admitted,
  { reply, detail }: Press,
  { kind, here, others }: Sharing & { readonly others: readonly TeamsPlace[] },
) {
  const named = await Promise.all(
    others.map(async (place) => ({
      id: readConversation(place.conversation).room,
      name: await scene.deps.names.of(place),
    })),
  );
  const own = scene.place.kind === 'room' ? words.hereInThread : words.hereInChat;
  const choices = [...(here ? [{ id: HERE, name: own }] : []), ...named];
  const form = shareForm(choices, button(kind, labels.share, reply, detail));
  return { ...form, actions: [...actionsOf(form), button('sources', labels.back, reply, BACK)] };
}

const actionsOf = ({ actions }: ReturnType<typeof shareForm>): readonly unknown[] =>
  Array.isArray(actions) ? actions : [];

/** Once for each press, and told the same each time. */
async function shareTo(
  scene: Admitted,
  { reply, inputs }: Press,
  { posts, where }: Sharing & { readonly where: string },
): Promise<Told> {
  const place = where === HERE ? threadPlace(scene) : await elsewhere(scene, where);
  if (typeof place === 'string') return refused(place);
  let failed: string | undefined;
  await scene.deps.once(`share ${scene.place.tenant} ${scene.key}`, async () => {
    failed = await put(scene, place, await posts());
  });
  if (failed !== undefined) return refused(failed);
  if (inputs[WHERE_INPUT] === undefined) return said(words.shared);
  const card = cardOf([line(words.shared)], [button('sources', labels.back, reply, BACK)]);
  return { kind: 'card', card };
}

/** The person pressed there, so that they are a member. */
function threadPlace({ place }: Admitted): TeamsPlace | string {
  return place.kind === 'direct' ? words.nowhere : place;
}

/** Only where the bridge is, and the person as well; asked of Teams when it is sent. */
async function elsewhere({ deps, place, person }: Admitted, room: string): Promise<TeamsPlace | string> {
  const found = await roomPlace(deps.places, place.tenant, room);
  if (found === undefined) return words.mayNotPost;
  return (await deps.people.isMember(found, person)) ? found : words.notMember;
}

/** Why not; nothing where all of it stands there. A long answer goes on in the thread of its beginning. */
async function put(
  { deps }: Admitted,
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
  if (!neverCame(sent)) return words.unconfirmed;
  return sent.kind === 'refused' && sent.meaning === 'gone' ? words.mayNotPost : words.trouble;
}
