/** Another kept version of a reply is shown: a short turn beside the thread. */

import type { Intake, Kept } from '../channel/events.ts';
import { isOf, originKey } from '../message.ts';
import type { NewTurn } from '../stores/inbox.ts';
import { replyOf } from '../stores/shelf.ts';
import { versionOf } from '../stores/versions.ts';
import type { Turn } from '../turn.ts';
import { words } from '../words.ts';
import type { IntakeParts } from './keeping.ts';
import { isActive } from './repeating.ts';
import { laneBeside } from './rewriting.ts';

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
