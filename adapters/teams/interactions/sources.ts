/** Everything that an answer drew on, page by page, in place of the answer's card and for who asked alone. */

import { isPlain } from '../../../src/kit/json.ts';
import { sourcesOf } from '../../../src/kit/sources.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import { type Begin, emitterOf, START } from '../render/emit.ts';
import { messageOf } from '../render/message.ts';
import { BACK, sourcesCard } from '../render/sources-card.ts';
import { lookWithImages } from '../write/look.ts';
import { onwardAt } from '../write/shapes.ts';
import { linksOf, replyOf } from './admit.ts';
import { refused, said, type Told } from './answers.ts';
import type { Admitted, Press } from './deps.ts';
import { words } from './words.ts';

export async function pressSources(scene: Admitted, press: Press): Promise<Told> {
  const document = await replyOf(scene, press);
  if (document === undefined) return refused(words.stale);
  if (press.detail === BACK) return answerCardOf(scene, press, document);
  const sources = sourcesOf(document, { linkOf: linksOf(scene, press) });
  if (sources.length === 0) return said(words.noSources);
  const page = Number(press.detail);
  const card = sourcesCard(sources, { reply: press.reply, page: Number.isSafeInteger(page) ? page : 0 });
  return { kind: 'card', card };
}

const FIRST: Begin = { at: 0, fresh: true };

/** Returns the place where the answer's last message begins. Buttons of an earlier version lack it; then the record is read. */
async function beginOf(
  { deps, place, message }: Admitted,
  { at }: Press['reply'],
  document: ReplyDocument,
): Promise<Begin | undefined> {
  if (at !== undefined) {
    const isInside = Number.isSafeInteger(at) && at > 0 && at <= document.text.length;
    const setting = { emitter: emitterOf(deps.looking.format) };
    return isInside ? onwardAt(START, { document, setting, to: at }) : undefined;
  }
  const known = message === undefined ? undefined : await deps.replies.find(place, message);
  return known?.begin ?? FIRST;
}

/** The answer's own card again, after something else stood in its place. */
async function answerCardOf(
  scene: Admitted,
  { reply, thread }: Press,
  document: ReplyDocument,
): Promise<Told> {
  const { deps } = scene;
  const begin = await beginOf(scene, reply, document);
  if (begin === undefined) return refused(words.stale);
  const look = await lookWithImages(document, {
    deps: deps.looking,
    images: new Map(),
    signal: deps.signal,
    turn: { message: { id: reply.question, thread } },
  });
  const [attachment] = messageOf(document, { begin }, look, 'rich').attachments;
  const card = attachment?.content;
  return isPlain(card) ? { kind: 'card', card } : refused(words.stale);
}
