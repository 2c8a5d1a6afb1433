import { fragmentLink, marksOf } from '../../src/kit/ladder.ts';
import { defined, type Source, sourceTitle } from '../../src/kit.ts';
import type { SourceView } from './wire.ts';

/** Matches a source reference in an answer's text: `[2]`, but not the label of a link or of a definition. */
const mark = /\[(\d{1,4})\](?![(:])/g;

/** Sorts the sources by where the text first refers to them. Sources without a reference come last. */
export function orderSources(sources: readonly Source[], text: string): readonly Source[] {
  if (sources.length === 0) return [];
  const place = new Map<number, number>();
  for (const [, digits] of text.matchAll(mark)) {
    const number = Number(digits);
    if (!place.has(number)) place.set(number, place.size);
  }
  const rank = (source: Source): number =>
    Math.min(...marksOf(source).map((each) => place.get(each) ?? Number.POSITIVE_INFINITY));
  // The sort is stable, so sources that the text does not mention keep the platform's order, best first.
  return sources.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** Returns the sources in the order of their first references, numbered 1, 2, 3, as people see them. */
export function viewSources(sources: readonly Source[], text: string): readonly SourceView[] {
  return orderSources(sources, text).map((source, index) => {
    const { key, document: _document, mark, ...shown } = source;
    const number = index + 1;
    const link = fragmentLink(source);
    const written = defined({ mark: mark === number ? undefined : mark });
    return { key, number, ...written, ...shown, title: sourceTitle(source, number), ...defined({ link }) };
  });
}
