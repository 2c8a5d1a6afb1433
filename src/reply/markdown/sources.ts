import { type Fragment, marksOf, type Source } from '../../core/reply.ts';
import { type Block, type Inline, mapInlines } from './blocks.ts';
import { parse } from './parse.ts';

export interface NumberedSource {
  /** The number under which the source is listed and shown in the text: 1, 2, 3. */
  readonly number: number;
  /** The numbers that the answer's text uses for the source: 7 for `[7]`. */
  readonly marks: readonly number[];
  /** The document with all its passages, best first. */
  readonly source: Source;
}

type Read = (text: string) => readonly Block[];

const mark = /\[(\d{1,4})\]/g;

/**
 * Returns the blocks with each source number replaced. Code, link labels and alternative texts contain none.
 * @param by returns the text for a number in brackets, given that text and its digits
 */
function replaceMarks(
  blocks: readonly Block[],
  by: (whole: string, digits: string) => string,
): readonly Block[] {
  const line = (inlines: readonly Inline[]): readonly Inline[] =>
    inlines.map((inline) => {
      if (inline.kind === 'text') return { ...inline, text: inline.text.replace(mark, by) };
      return inline.kind === 'strong' || inline.kind === 'emphasis' || inline.kind === 'strike'
        ? { ...inline, children: line(inline.children) }
        : inline;
    });
  return mapInlines(blocks, line);
}

/**
 * Returns the source numbers in a text, such as 7 for `[7]`, in the order of their first appearance.
 * @param read returns the blocks of the text, as `parse` does
 */
export function marksIn(text: string, read: Read = parse): readonly number[] {
  const marks = new Set<number>();
  const note = (whole: string, digits: string): string => {
    marks.add(Number(digits));
    return whole;
  };
  if (text.includes('[')) replaceMarks(read(text), note);
  return [...marks];
}

/**
 * Replaces source numbers in the text with the displayed numbers: `[7]` becomes `[1]` if it refers to the first
 * source.
 */
export function renumbered(blocks: readonly Block[], numbers: ReadonlyMap<number, number>): readonly Block[] {
  return replaceMarks(blocks, (whole, digits) => {
    const number = numbers.get(Number(digits));
    return number === undefined ? whole : `[${number}]`;
  });
}

const byScore = (left: { score?: number }, right: { score?: number }): number =>
  (right.score ?? -1) - (left.score ?? -1);

/** Returns an object with the higher of the two scores; an empty object if neither source has a score. */
function best(left: Source, right: Source): { score?: number } {
  const scores = [left.score, right.score].filter((score) => score !== undefined);
  return scores.length === 0 ? {} : { score: Math.max(...scores) };
}

function joined(left: Source, right: Source): Source {
  const known = new Set(left.fragments.map((fragment) => fragment.text));
  const fragments: readonly Fragment[] = [
    ...left.fragments,
    ...right.fragments.filter((fragment) => !known.has(fragment.text)),
  ];
  return { ...right, ...left, ...best(left, right), fragments };
}

/** Joins the sources that belong to the same document, and keeps their order. */
function byDocument(sources: readonly Source[]): readonly Pick<NumberedSource, 'source' | 'marks'>[] {
  const groups = Map.groupBy(sources, ({ document, key }) =>
    document === undefined ? `key ${key}` : `document ${document}`,
  );
  return [...groups.values()].map((group) => ({
    source: group.reduce(joined),
    marks: group.flatMap(marksOf),
  }));
}

/**
 * Numbers the sources of an answer: first those that the text refers to, in the order of the text, then the others in
 * the given order. Each document is one source with all its passages, best first.
 */
export function numberSources(
  text: string,
  sources: readonly Source[],
  read: Read = parse,
): readonly NumberedSource[] {
  const order = new Map(marksIn(text, read).map((found, place) => [found, place]));
  return byDocument(sources)
    .map(({ source, marks }) => {
      const places = marks.map((given) => order.get(given) ?? Number.POSITIVE_INFINITY);
      return { source, marks, place: Math.min(...places) };
    })
    .sort((left, right) => (left.place === right.place ? 0 : left.place - right.place))
    .map(({ source, marks }, at) => ({
      number: at + 1,
      marks,
      source: { ...source, fragments: source.fragments.toSorted(byScore) },
    }));
}
