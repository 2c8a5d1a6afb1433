/** The sources of an answer, numbered as in its text. */

import type { TurnId } from '../core/ids.ts';
import type { ReplyDocument, Source } from '../core/reply.ts';
import type { Block } from '../reply/markdown/blocks.ts';
import { type NumberedSource, numberSources } from '../reply/markdown/sources.ts';
import { fragmentLink } from './fragment-link.ts';

/** Returns the address under which people open a source of the answer that `turn` wrote. */
export type LinkOf = (source: Source, turn: TurnId) => string | undefined;

interface SourcesWay {
  /** Parses the answer's text into blocks; `parse` if absent. */
  readonly read?: (text: string) => readonly Block[];
  /** The host's `sourceLink`. If absent, people open the document's own link at its best passage. */
  readonly linkOf?: LinkOf | undefined;
}

/** Returns the sources of an answer with their numbers in the text. */
export function sourcesOf(
  { turn, text, sources }: ReplyDocument,
  { read, linkOf = fragmentLink }: SourcesWay = {},
): readonly NumberedSource[] {
  if (sources.length === 0) return [];
  return numberSources(text, sources, read).map((each) => {
    const link = linkOf(each.source, turn);
    return link === undefined ? each : { ...each, source: { ...each.source, link } };
  });
}

/** Maps each source number in the text to the number that people see. The map is empty if no number differs. */
export function numbersOf(sources: readonly NumberedSource[]): ReadonlyMap<number, number> {
  const pairs = sources.flatMap(({ number, marks }) => marks.map((mark) => [mark, number] as const));
  return new Map(pairs.some(([mark, number]) => mark !== number) ? pairs : []);
}

const mark = /\[(\d{1,4})\]/g;
/** Matches code and definitions of links, which contain no source numbers, or a source number. */
const codeOrMark =
  /```[\s\S]*?(?:```|(?![\s\S]))|~~~[\s\S]*?(?:~~~|(?![\s\S]))|`+[^`]*`+|^ {0,3}\[\d+\]:.*$|(?<![\\!])\[(?<number>\d{1,4})\](?!\()/gm;

/** Replaces source numbers in plain text. */
export const renumberedWords = (text: string, numbers: ReadonlyMap<number, number>): string =>
  text.replace(mark, (whole, given: string) => {
    const number = numbers.get(Number(given));
    return number === undefined ? whole : `[${number}]`;
  });

/** Replaces source numbers in Markdown that is passed on as text. */
export const renumberedText = (text: string, numbers: ReadonlyMap<number, number>): string =>
  text.replace(codeOrMark, (whole, given?: string) => {
    const number = numbers.get(Number(given));
    return number === undefined ? whole : `[${number}]`;
  });

/**
 * Returns, for a range of the text, the source numbers that people see as another number, such as `7>1`. If the result
 * changes, the message must be edited.
 */
export function changedMarks(
  document: ReplyDocument,
  { from, to }: { readonly from: number; readonly to?: number },
): readonly string[] {
  if (document.sources.length === 0) return [];
  const numbers = numbersOf(sourcesOf(document));
  const found = [...document.text.slice(from, to).matchAll(mark)].map((match) => Number(match[1]));
  return [...new Set(found)].flatMap((one) => {
    const number = numbers.get(one);
    return number === undefined || number === one ? [] : [`${one}>${number}`];
  });
}

/** Returns the relevance of a passage in percent; empty if the relevance is unknown. */
export function scoreOf(score: number | undefined): string {
  return score === undefined || !Number.isFinite(score) ? '' : `${Math.round(score * 100)} %`;
}
