import type { Documents } from '../store/documents.ts';
import { phrases } from './phrases.ts';
import type { Hit } from './search.ts';
import { type Language, languageOf } from './terms.ts';

const SUGGESTIONS = 3;
const HEADING_LENGTH = 60;
/** Headings that name no subject. */
const UNTOLD = /^(page \d+|principles|overview|introduction|summary|contents|scope|适用范围)$/i;

/** Questions from the headings next to the quoted passages: nearest first, none about what was just answered. */
export function suggestionsFor(
  hits: readonly Hit[],
  documents: Documents,
  question: string,
): readonly string[] {
  const questions: string[] = [];
  const used = new Set(hits.map((hit) => hit.chunk.heading));
  for (const { chunk, document } of hits) {
    const near = [...documents.chunksOf(document.id)].sort(
      (a, b) => Math.abs(a.ordinal - chunk.ordinal) - Math.abs(b.ordinal - chunk.ordinal),
    );
    for (const neighbour of near) {
      if (used.has(neighbour.heading) || neighbour.heading === '') continue;
      used.add(neighbour.heading);
      const asked = asQuestion(neighbour.heading);
      if (asked !== undefined && asked !== question) questions.push(asked);
      if (questions.length >= SUGGESTIONS) return questions;
    }
  }
  return questions;
}

function asQuestion(heading: string): string | undefined {
  const innermost = heading.split(' › ').at(-1) ?? '';
  if (innermost === '' || innermost.length > HEADING_LENGTH || UNTOLD.test(innermost)) return undefined;
  const language: Language = languageOf(innermost);
  return phrases(language).suggestion(innermost);
}
