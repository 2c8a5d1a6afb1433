import type { Documents } from '../store/documents.ts';
import { languageOf } from '../words/terms.ts';
import { filled, phrases, sectionOf } from './answer.ts';
import { buildQuery, type Hit, type SearchScope, search } from './search.ts';

const HEADING_LENGTH = 60;
/** Matches headings that do not name a subject: general words, and headings with a pronoun. */
const NO_SUBJECT =
  /^(page \d+|principles|overview|introduction|summary|contents|scope|start|starting|pages|words|people|environment|server|health|适用范围|[a-z]+)$|\b(it|this|these|them)\b/i;
/** Matches the number of a section. */
const NUMBER = /^(?:\d+\.)+(?:\d+)?(?:\s+|$)/;
/** Matches ids, file names, settings, addresses and code, which people do not ask about. */
const ID = /^\S*[-_.:/]\S*$|^\d+$|`|\/\w|[{}<>]|\w\(/;
const STARTS_QUESTION =
  /^(?:who(?:se)?|how (?:do|does|can|long|much|many|often|is|are)|(?:what|which|why|where) (?:is|are|happens|do|does|can|may)|can|may|is|are|do|does|should|must)\b/i;

type Passage = Pick<Hit, 'chunk' | 'document'>;

/**
 * Returns the question about a passage's heading. Returns undefined if people would not ask about the heading, or if
 * another section answers the question better.
 */
export function suggestionFrom(
  passage: Passage,
  documents: Documents,
  scope: SearchScope,
): string | undefined {
  const question = questionAbout(passage.chunk.heading);
  if (question === undefined) return undefined;
  const [best] = search(buildQuery(question, []), documents, { ...scope, limit: 1, leastScore: 0 });
  return best !== undefined && sectionOf(best) === sectionOf(passage) ? question : undefined;
}

/** Suggests questions about the headings around a passage, nearest first. */
export function suggestionsNear(
  { chunk, document }: Passage,
  documents: Documents,
  scope: SearchScope,
  most: number,
): readonly string[] {
  const sections = Map.groupBy(documents.chunksOf(document.id), ({ heading }) => heading);
  sections.delete(chunk.heading);
  const near = [...sections.values()]
    .flatMap(([first]) => first ?? [])
    .sort((a, b) => Math.abs(a.ordinal - chunk.ordinal) - Math.abs(b.ordinal - chunk.ordinal));
  const questions: string[] = [];
  for (const neighbour of near) {
    if (questions.length >= most) break;
    const question = suggestionFrom({ chunk: neighbour, document }, documents, scope);
    if (question !== undefined && !questions.includes(question)) questions.push(question);
  }
  return questions;
}

/**
 * Returns a question about a heading. Returns undefined for a heading that people would not ask about: one that is too
 * long, is an id, or names no subject.
 */
export function questionAbout(path: string): string | undefined {
  const heading = (path.split(' › ').at(-1) ?? '').replace(NUMBER, '').trim();
  if (heading === '' || heading.length > HEADING_LENGTH) return undefined;
  if (/[?？]$/.test(heading)) return heading;
  if (NO_SUBJECT.test(heading) || ID.test(heading)) return undefined;
  const language = languageOf(heading);
  if (language !== 'en') return filled(phrases(language).about, { heading });
  if (/^how to /i.test(heading)) return `How do I ${heading.slice('how to '.length)}?`;
  return STARTS_QUESTION.test(heading) ? `${heading}?` : filled(phrases(language).about, { heading });
}
