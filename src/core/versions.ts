/** Another kept version of a reply is shown: a short turn beside the thread. */

import type { Intake, Kept } from './channel.ts';
import { change } from './compose.ts';
import type { TurnId } from './ids.ts';
import type { IntakeParts } from './keeping.ts';
import { isOf, originKey } from './message.ts';
import { isActive } from './repeating.ts';
import type { ReplyDocument } from './reply.ts';
import { laneBeside } from './rewriting.ts';
import { type ReplyShelf, replyOf } from './shelf.ts';
import type { NewTurn } from './stores.ts';
import type { Turn } from './turn.ts';
import { words } from './words.ts';

type Show = Extract<Intake, { kind: 'show' }>;

/** Keeps the wish to see a version; refused kindly when it is no longer kept, or one more is being written. */
export async function askForVersion(event: Show, parts: IntakeParts): Promise<Kept> {
  const { inbox, shelf } = parts;
  const turn = await inbox.find(event.turn);
  const newest = await inbox.newestOfReply(event.turn);
  if (turn === undefined || newest === undefined || !isOf(event.thread, turn))
    return refuse(words.versionGone);
  const { thread, sender } = turn.message;
  if (thread.kind === 'direct' && sender.id !== event.by.id) return refuse(words.versionGone);
  if (isActive(newest) && (await shelf.find(newest.id)) === undefined)
    return refuse(words.versionBeingWritten);
  if ((await versionOf(replyOf(turn), event.edition, shelf)) === undefined) return refuse(words.versionGone);
  const wish = showing(event, turn, parts);
  const added = await inbox.add(wish);
  if (added.kind === 'added') return { kind: 'kept', turn: wish.id, ahead: 0 };
  return added.kind === 'duplicate' ? { kind: 'duplicate', turn: added.id } : { kind: 'nothing' };
}

const refuse = (tellUser: string): Kept => ({ kind: 'refused', tellUser });

function showing({ edition, key, by }: Show, of: Turn, { newId }: IntakeParts): NewTurn {
  const { thread } = of.message;
  const reply = replyOf(of);
  const origin = { kind: 'show', of: reply, edition, key } as const;
  return {
    id: newId(),
    origin,
    originKey: originKey(thread, origin),
    lane: laneBeside(reply),
    message: { ...of.message, text: '', sender: by },
    follows: of.id,
  };
}

/** The version as it was shown, with its place among those that there are now. */
export async function versionOf(
  reply: TurnId,
  edition: number,
  shelf: ReplyShelf,
): Promise<ReplyDocument | undefined> {
  const editions = await shelf.editions(reply);
  const wanted = editions[edition - 1];
  const document = wanted && (await shelf.find(wanted))?.document;
  return document && change(document, { editions: { shown: edition, count: editions.length } });
}
