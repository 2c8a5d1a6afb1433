import type { Documents } from '../store/documents.ts';
import { languageOf } from '../words/terms.ts';
import { phrases } from './phrases.ts';
import type { Hit } from './search.ts';

const SUGGESTIONS = 3;
const HEADING_LENGTH = 60;
/** Matches headings that do not name a subject. */
const NO_SUBJECT =
  /^(page \d+|principles|overview|introduction|summary|contents|scope|start|starting|pages|words|people|environment|server|health|适用范围)$/i;
/** Matches a single word without a capital, which is the name of an error or a setting. */
const BARE = /^[a-z]+$/;
/** Matches a pronoun. A heading with a pronoun does not name its subject, which is in an earlier heading. */
const PRONOUN = /\b(?:it|this|these|them)\b/i;
/** Matches a statement, or a title with an explanation. Neither can be made into a question. */
const STATEMENT =
  /^(?!(?:who|how|what|which|why|where|when|if|is|are|can|may|do|does|I)\b).*\b(?:is|are|has|have|what)\b|: /i;

/** Matches the number of a section. */
const NUMBER = /^(?:\d+\.)+(?:\d+)?(?:\s+|$)/;
/** Matches an id: several words in one letter case that are joined by marks such as `-` or `.`, or digits only. */
const ID =
  /^(?:[a-z0-9]+(?:[-_.:/][a-z0-9]+)+|[A-Z0-9]+(?:[-_.:/][A-Z0-9]+)+|[a-z]+(?:[._][a-zA-Z0-9]+)+|\d+)$/;
const CODE = /`|\/\w|[{}<>]|\w\(/;

/**
 * Suggests questions about the headings near the quoted passages, nearest first. Leaves out the headings of the quoted
 * passages themselves.
 */
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

/**
 * Returns a question about a heading. Returns undefined for a heading that people would not ask about: one that is too
 * long, is an id, or names no subject.
 */
export function questionAbout(heading: string): string | undefined {
  const innermost = (heading.split(' › ').at(-1) ?? '').replace(NUMBER, '').trim();
  if (innermost === '' || innermost.length > HEADING_LENGTH) return undefined;
  if (NO_SUBJECT.test(innermost) || isId(innermost) || hasNoSubject(innermost)) return undefined;
  return phrases(languageOf(innermost)).suggestion(innermost);
}

/** True if a heading names no subject. Always false for a heading that ends with a question mark. */
const hasNoSubject = (heading: string): boolean =>
  BARE.test(heading) || (!/[?？]$/.test(heading) && (PRONOUN.test(heading) || STATEMENT.test(heading)));

/** True for ids, file names, settings, addresses and code, which people do not ask about. */
const isId = (heading: string): boolean => ID.test(heading) || CODE.test(heading);
