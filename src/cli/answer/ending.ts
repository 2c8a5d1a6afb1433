/** Prints what follows the text of an answer: notices, images and files, sources, suggestions. */

import type { ReplyDocument } from '../../core/reply.ts';
import { passageText } from '../../kit/ladder.ts';
import { sourceTitle } from '../../kit.ts';
import type { Listed } from './numbering.ts';
import type { StyledWriter } from './styled-writer.ts';

/** Maximum characters of a source's passage in the list. */
const MAX_PASSAGE_CHARS = 160;

/** An image or file of an answer, and where it can be opened. */
export interface Found {
  readonly kind: 'image' | 'file';
  readonly name: string;
  /** A web address, or the path of the file in which the image was saved. */
  readonly at?: string;
}

export function writeEnding(
  document: ReplyDocument,
  media: readonly Found[],
  sources: readonly Listed[],
  writer: StyledWriter,
): void {
  for (const { tone, text } of document.notices) if (tone === 'info') writer.write(`\n${text}\n`);
  writeList('Images and files', media, writer, writeMedium);
  writeList('Sources', sources, writer, writeSource);
  writeList('Suggested questions', document.suggestions, writer, (text) =>
    writer.write(`  ${oneLine(text)}\n`),
  );
}

function writeList<Item>(
  title: string,
  items: readonly Item[],
  writer: StyledWriter,
  write: (item: Item, writer: StyledWriter) => void,
): void {
  if (items.length === 0) return;
  writer.write('\n');
  writer.write(title, 'bold');
  writer.write(':\n');
  for (const item of items) write(item, writer);
}

/** Replaces line breaks by spaces, because a name that contains a line break could imitate a line of the list. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function writeMedium({ name, at }: Found, writer: StyledWriter): void {
  writer.write(`  ${oneLine(name)}: ${at === undefined ? 'cannot be opened' : oneLine(at)}\n`);
}

function writeSource({ numbers, source }: Listed, writer: StyledWriter): void {
  const { link, fragments } = source;
  writer.write(`  ${numbers.map((number) => `[${number}]`).join('')} `);
  writer.hangHere();
  writer.write(oneLine(sourceTitle(source, numbers[0] ?? 0)));
  writer.write(link === undefined ? '\n' : ` ${oneLine(link)}\n`);
  const best = oneLine(passageText(fragments[0]?.text ?? ''));
  const short =
    best.length > MAX_PASSAGE_CHARS ? `${best.slice(0, MAX_PASSAGE_CHARS).toWellFormed()}…` : best;
  if (short === '') return;
  writer.write('      ');
  writer.hangHere();
  writer.write(short, 'dim');
  writer.write('\n');
}
