/** Everything that an answer drew on, page by page, in place of the answer's card and for who asked alone. */

import { sourcesOf } from '../../../src/kit/sources.ts';
import { BACK, sourcesCard } from '../render/sources-card.ts';
import { refused, said, type Told } from './answers.ts';
import { answerCardOf } from './back.ts';
import type { Admitted, Press } from './parts.ts';
import { linksOf, replyOf } from './reply-of.ts';
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
