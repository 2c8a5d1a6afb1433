/** The answer's own card again, after something else stood in its place. */

import { isPlain } from '../../../src/kit/json.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import { messageOf } from '../render/message.ts';
import { lookWithImages } from '../write/look.ts';
import { refused, type Told } from './answers.ts';
import type { Admitted, Press } from './parts.ts';
import { words } from './words.ts';

export async function answerCardOf(
  scene: Admitted,
  { reply, thread }: Press,
  document: ReplyDocument,
): Promise<Told> {
  const { parts, place, message } = scene;
  const known = message === undefined ? undefined : await parts.replies.find(place, message);
  if (known === undefined) return refused(words.stale);
  const look = await lookWithImages(document, {
    parts: parts.looking,
    images: new Map(),
    signal: parts.signal,
    turn: { message: { id: reply.question, thread } },
  });
  const [attachment] = messageOf(document, { begin: known.begin }, look, 'rich').attachments;
  const card = attachment?.content;
  return isPlain(card) ? { kind: 'card', card } : refused(words.stale);
}
