/** An answer's sources, numbered as in its text. */

import type { ReplyDocument } from '../core/reply.ts';
import type { Block } from '../render/blocks.ts';
import { type NumberedSource, numberSources } from '../render/sources.ts';
import { fragmentLink } from './fragment-link.ts';

/**
 * Lists the sources; each link opens the document at the source's best passage.
 * @param read gives the blocks of the answer's text, as `parse` does
 */
export function sourcesOf(
  { text, sources }: ReplyDocument,
  read?: (text: string) => readonly Block[],
): readonly NumberedSource[] {
  if (sources.length === 0) return [];
  return numberSources(text, sources, read).map((each) => {
    const link = fragmentLink(each.source);
    return link === undefined ? each : { ...each, source: { ...each.source, link } };
  });
}

/** What the marks of the text become; empty where they are right already. */
export function numbersOf(sources: readonly NumberedSource[]): ReadonlyMap<number, number> {
  const pairs = sources.flatMap(({ number, marks }) => marks.map((mark) => [mark, number] as const));
  return new Map(pairs.some(([mark, number]) => mark !== number) ? pairs : []);
}

/** How well a passage fits, in per cent; empty where nobody knows. */
export function scoreOf(score: number | undefined): string {
  return score === undefined || !Number.isFinite(score) ? '' : `${Math.round(score * 100)} %`;
}
