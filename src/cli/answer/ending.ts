/** Prints the parts after the text: notices, images and files, sources, suggestions. */

import type { ReplyDocument } from '../../core/reply.ts';
import { passageText, sourceTitle } from '../../kit.ts';
import type { Listed } from './numbering.ts';
import type { Pen } from './pen.ts';

/** Maximum number of characters of a fragment in the list. */
const FRAGMENT = 160;

/** An image or file of an answer, and where to open it. */
export interface Found {
  readonly kind: 'image' | 'file';
  readonly name: string;
  /** An address, or the path of the file to which the image was saved. */
  readonly at?: string;
}

interface Ending {
  readonly document: ReplyDocument;
  readonly media: readonly Found[];
  readonly sources: readonly Listed[];
}

export function writeEnding({ document, media, sources }: Ending, pen: Pen): void {
  for (const { tone, text } of document.notices) if (tone === 'info') pen.write(`\n${text}\n`);
  writeList('Images and files', media, pen, writeMedium);
  writeList('Sources', sources, pen, writeSource);
  writeList('Suggested questions', document.suggestions, pen, (text) => pen.write(`  ${oneLine(text)}\n`));
}

function writeList<Item>(
  title: string,
  items: readonly Item[],
  pen: Pen,
  write: (item: Item, pen: Pen) => void,
): void {
  if (items.length === 0) return;
  pen.write('\n');
  pen.write(title, 'bold');
  pen.write(':\n');
  for (const item of items) write(item, pen);
}

/** Removes line breaks, because a name with one could forge a line of the list. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function writeMedium({ name, at }: Found, pen: Pen): void {
  pen.write(`  ${oneLine(name)}: ${at === undefined ? 'cannot be opened' : oneLine(at)}\n`);
}

function writeSource({ numbers, source }: Listed, pen: Pen): void {
  const { link, fragments } = source;
  pen.write(`  ${numbers.map((number) => `[${number}]`).join('')} `);
  pen.hangHere();
  pen.write(oneLine(sourceTitle(source, numbers[0] ?? 0)));
  pen.write(link === undefined ? '\n' : ` ${oneLine(link)}\n`);
  const best = oneLine(passageText(fragments[0]?.text ?? ''));
  const short = best.length > FRAGMENT ? `${best.slice(0, FRAGMENT).toWellFormed()}…` : best;
  if (short === '') return;
  pen.write('      ');
  pen.hangHere();
  pen.write(short, 'dim');
  pen.write('\n');
}
