/**
 * Makes the passages of a source readable. The platform returns fragments of a document's Markdown. The images in a
 * fragment have ids that only the platform can open, and a fragment may begin or end inside an image or a table.
 */

import { withoutTurns } from '../../core/names.ts';
import { type Block, type Cell, type Inline, mapInlines } from './blocks.ts';
import { IMAGE_WORDS, isMediaId, plainInline } from './inline.ts';
import { mend } from './mend.ts';
import { parse } from './parse.ts';
import { plainBlocks } from './plain.ts';

/** Matches a passage that consists only of an image's id. Shorter numbers may be real text. */
const onlyId = /^\s*(?:file_id:)?\d{6,}\s*$/;
/** Matches the end of an image or link whose beginning is missing. */
const cutImage = /^([^[\]\n]*)\]\([^()\s]*\)/;
const htmlImage = /<img\b[^<>]*>/gi;
const htmlWords = /\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** Returns a passage as blocks. Images must be shown by their alternative text (`imageWords`). */
export function passageBlocks(text: string): readonly Block[] {
  const whole = onlyId.test(text) ? IMAGE_WORDS : withHead(mend(withoutTurns(text).replace(cutImage, '$1')));
  return mapInlines(parse(whole), readableCell);
}

/** Returns a passage as plain text with line ends; blank if it contains nothing to show. */
export function passageText(text: string): string {
  return plainBlocks(passageBlocks(text), '\n\n').trim();
}

const readableCell = (cell: Cell): Cell => cell.map(readableInline);

function readableInline(inline: Inline): Inline {
  switch (inline.kind) {
    case 'text':
      return { kind: 'text', text: inline.text.replace(htmlImage, wordsOfTag) };
    case 'link':
      return isMediaId(plainInline(inline.children), inline.destination)
        ? { kind: 'text', text: IMAGE_WORDS }
        : { ...inline, children: readableCell(inline.children) };
    case 'strong':
    case 'emphasis':
    case 'strike':
      return { ...inline, children: readableCell(inline.children) };
    default:
      return inline;
  }
}

function wordsOfTag(tag: string): string {
  const [, double, single] = htmlWords.exec(tag) ?? [];
  const words = (double ?? single ?? '').trim();
  return words === '' ? IMAGE_WORDS : words;
}

const blankLines = /^(?:[ \t]*\n)*/;
const delimiter = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$/;

const isRow = (line: string): boolean => /\|[ \t]*$/.test(line);
const columnsOf = (line: string): number =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/).length;

/** If the text begins with table rows whose head is missing, adds an empty head, so that they form a table again. */
function withHead(text: string): string {
  const rest = text.replace(blankLines, '');
  const [first = '', second = '', ...others] = rest.split('\n');
  if (!isRow(first) || delimiter.test(second)) return text;
  const from = delimiter.test(first) ? 1 : 0;
  const lines = [first, second, ...others].slice(from);
  const end = lines.findIndex((line) => !line.includes('|'));
  const columns = (end < 0 ? lines : lines.slice(0, end)).reduce(
    (most, line) => Math.max(most, columnsOf(line)),
    columnsOf(first),
  );
  return [`|${' |'.repeat(columns)}`, `|${'-|'.repeat(columns)}`, ...lines].join('\n');
}
