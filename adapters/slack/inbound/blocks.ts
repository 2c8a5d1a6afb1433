/** Converts Slack's blocks to Markdown. The words of blocks of unknown types are gathered. */

import { isPlain, list, type Plain, plains, text, visibleWords } from '../../../src/kit/ladder.ts';
import { asTyped } from './address.ts';
import { markdownText, mrkdwnMarkdown } from './mrkdwn.ts';
import { dateOf, richTextMarkdown } from './rich-text.ts';

export const isTable = ({ type }: Plain): boolean => type === 'table' || type === 'data_table';

export function blocksMarkdown(blocks: readonly unknown[]): string {
  return plains(blocks)
    .map(blockMarkdown)
    .filter((each) => each !== '')
    .join('\n\n');
}

function blockMarkdown(block: Plain): string {
  switch (block.type) {
    case 'header':
      return words(block.text) === '' ? '' : `## ${words(block.text)}`;
    case 'context':
      return plains(block.elements)
        .map((element) => elementMarkdown(element))
        .filter(Boolean)
        .join(' ');
    case 'divider':
      return '---';
    default:
      return elementMarkdown(block);
  }
}

/** Maximum tables inside tables. Slack itself puts none into a cell. */
const MAX_TABLES = 20;

function elementMarkdown(element: Plain, tables = 0): string {
  const read = (each: Plain) => known(each, tables);
  return read(element) ?? visibleWords(element, { read }).join('\n');
}

/** Returns the Markdown of an element whose words are more than the sum of its texts; undefined for all others. */
function known(element: Plain, tables: number): string | undefined {
  switch (element.type) {
    case 'rich_text':
      return richTextMarkdown(element);
    case 'markdown':
      return markdownText(text(element.text) ?? '');
    case 'mrkdwn':
    case 'plain_text':
      return words(element);
    case 'table':
    case 'data_table':
      return tables < MAX_TABLES
        ? tableMarkdown(element, tables + 1)
        : '(a table inside other tables is left out)';
    default:
      return chosenIn(element);
  }
}

/** Returns the people, the conversations or the time that a menu shows as chosen; undefined if it shows none. */
function chosenIn(element: Plain): string | undefined {
  const ids = (kind: string) =>
    [element[`initial_${kind}`], ...list(element[`initial_${kind}s`])].flatMap((id) => text(id) ?? []);
  const people = ids('user').map((id) => `<@${id}>`);
  const rooms = [...ids('channel'), ...ids('conversation')].map((id) => `<#${id}>`);
  const at = dateOf(element.initial_date_time);
  return [...people, ...rooms, at].filter(Boolean).join(' ') || undefined;
}

/** Returns the text of a text object, in either of Slack's formats. */
function words(value: unknown): string {
  if (!isPlain(value)) return '';
  const written = text(value.text) ?? '';
  return (value.type === 'mrkdwn' ? mrkdwnMarkdown(written) : asTyped(written)).trim();
}

/**
 * Converts a table to Markdown, below its caption. Its first row becomes the header, because a Markdown table needs
 * one. Empty cells keep their places, and short rows are filled.
 */
function tableMarkdown({ rows, caption }: Plain, tables: number): string {
  const lines = list(rows).map((row) => list(row).map((cell) => cellMarkdown(cell, tables)));
  const width = lines.reduce((most, { length }) => Math.max(most, length), 0);
  const [head, ...body] = lines;
  const above = text(caption) === undefined ? [] : [asTyped(String(caption)), ''];
  if (head === undefined || width === 0) return above.join('');
  const line = (cells: readonly string[]) =>
    `| ${[...cells, ...Array<string>(width - cells.length).fill('')].join(' | ')} |`;
  const rule = line(Array<string>(width).fill('---'));
  return [...above, line(head), rule, ...body.map(line)].join('\n');
}

function cellMarkdown(cell: unknown, tables: number): string {
  return contentOf(cell, tables)
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function contentOf(cell: unknown, tables: number): string {
  if (!isPlain(cell)) return typeof cell === 'string' || typeof cell === 'number' ? String(cell) : '';
  if (cell.type === 'raw_text' || cell.type === 'raw_number')
    return asTyped(text(cell.text) ?? (typeof cell.value === 'number' ? String(cell.value) : ''));
  return elementMarkdown(cell, tables);
}
