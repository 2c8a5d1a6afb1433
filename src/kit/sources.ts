/** An answer's sources, numbered as in its text. */

import type { ReplyDocument } from '../core/reply.ts';
import type { Block } from '../render/blocks.ts';
import { type NumberedSource, numberSources } from '../render/sources.ts';

/** @param read gives the blocks of the answer's text, as `parse` does */
export function sourcesOf(
  { text, sources }: ReplyDocument,
  read?: (text: string) => readonly Block[],
): readonly NumberedSource[] {
  return sources.length === 0 ? [] : numberSources(text, sources, read);
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
