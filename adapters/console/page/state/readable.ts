import {
  parse,
  plainBlocks,
  renumbered,
  safeDestination,
  withAddresses,
} from '../../../../src/kit/ladder.ts';
import type { ReplyView, SourceView } from '../../wire.ts';

/** Returns the numbers that the answer's text uses for a source. */
export const viewMarks = ({ mark, marks, number }: SourceView): readonly number[] =>
  marks ?? [mark ?? number];

/**
 * Returns an answer as plain text: without Markdown, with the address after each link, and with the sources at the end.
 */
export function readable({ text, sources }: Pick<ReplyView, 'text' | 'sources'>): string {
  const numbers = new Map(
    sources.flatMap((source) => viewMarks(source).map((mark) => [mark, source.number] as const)),
  );
  const words = plainBlocks(withAddresses(renumbered(parse(text), numbers)), '\n\n');
  return sources.length === 0 ? words : `${words}\n\nSources\n${sources.map(sourceLine).join('\n')}`;
}

function sourceLine({ number, title, link }: SourceView): string {
  const address = link === undefined ? undefined : safeDestination(link)?.href;
  return `[${number}] ${title}${address === undefined ? '' : `: ${address}`}`;
}
