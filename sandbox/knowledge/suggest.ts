import type { Documents } from '../store/documents.ts';
import { type Language, languageOf } from '../words/terms.ts';
import { phrases } from './phrases.ts';
import type { Hit } from './search.ts';

const SUGGESTIONS = 3;
const HEADING_LENGTH = 60;
/** Headings that name no subject. */
const UNTOLD =
  /^(page \d+|principles|overview|introduction|summary|contents|scope|start|starting|pages|words|people|environment|server|health|适用范围)$/i;
/** One word without a capital: the name of an error or a setting. */
const BARE = /^[a-z]+$/;
/** A subject that stands in an earlier heading. */
const PRONOUN = /\b(?:it|this|these|them)\b/i;
/** A statement, or a title with its explanation: no subject that fits into a question. */
const STATEMENT =
  /^(?!(?:who|how|what|which|why|where|when|if|is|are|can|may|do|does|I)\b).*\b(?:is|are|has|have|what)\b|: /i;

/** The number of a section. */
const NUMBER = /^(?:\d+\.)+(?:\d+)?(?:\s+|$)/;
/** One word that is joined of several, in one case only, or that is all digits. */
const ID =
  /^(?:[a-z0-9]+(?:[-_.:/][a-z0-9]+)+|[A-Z0-9]+(?:[-_.:/][A-Z0-9]+)+|[a-z]+(?:[._][a-zA-Z0-9]+)+|\d+)$/;
const CODE = /`|\/\w|[{}<>]|\w\(/;

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
      const asked = questionAbout(neighbour.heading);
      if (asked !== undefined && asked !== question) questions.push(asked);
      if (questions.length >= SUGGESTIONS) return questions;
    }
  }
  return questions;
}

/** Nothing where the heading names no subject that a person would ask about. */
export function questionAbout(heading: string): string | undefined {
  const innermost = (heading.split(' › ').at(-1) ?? '').replace(NUMBER, '').trim();
  if (innermost === '' || innermost.length > HEADING_LENGTH) return undefined;
  if (UNTOLD.test(innermost) || isId(innermost) || namesNothing(innermost)) return undefined;
  const language: Language = languageOf(innermost);
  return phrases(language).suggestion(innermost);
}

/** Of a question only the first rule counts: it names its subject itself. */
const namesNothing = (heading: string): boolean =>
  BARE.test(heading) || (!/[?？]$/.test(heading) && (PRONOUN.test(heading) || STATEMENT.test(heading)));

/** Ids, file names, settings, addresses and code: what machines are asked for. */
const isId = (heading: string): boolean => ID.test(heading) || CODE.test(heading);
