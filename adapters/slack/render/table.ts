/** A Markdown table as Slack's own table, where it fits. */

import type { RichTextBlock, RichTextElement, TableBlock } from '@slack/types';
import { followed } from '../../../src/kit/emission.ts';
import { type Block, type Cell, type Inline, labelMisleads, plainInline } from '../../../src/kit.ts';
import { inert } from './escape.ts';

export type Table = Block & { kind: 'table' };
type Numbers = ReadonlyMap<number, number>;
type TableCell = TableBlock['rows'][number][number];

/** Slack's limits of a table: rows with the head, columns, and characters of all cells together. */
const MAX_ROWS = 100;
const MAX_COLUMNS = 20;
const MAX_CHARS = 10_000;
const MAX_CELL_CHARS = 3_000;

/** `undefined` where it has too many rows, columns or characters. */
export function nativeTable(table: Table, numbers: Numbers): TableBlock | undefined {
  const rows = [table.head, ...table.rows];
  if (rows.length > MAX_ROWS || table.align.length > MAX_COLUMNS) return undefined;
  const sizes = rows.flat().map((cell) => plainInline(cell).length);
  if (sizes.some((size) => size > MAX_CELL_CHARS)) return undefined;
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_CHARS) return undefined;
  return {
    type: 'table',
    column_settings: table.align.map((align) => ({
      align: align === 'none' ? 'left' : align,
      is_wrapped: true,
    })),
    rows: rows.map((row, at) => row.map((cell) => cellOf(cell, numbers, at === 0))),
  };
}

function cellOf(cell: Cell, numbers: Numbers, isHead: boolean): TableCell {
  const elements = cell.flatMap((inline) => elementsOf(inline, isHead ? { bold: true } : {}, numbers));
  const [only] = elements;
  if (only === undefined) return { type: 'raw_text', text: ' ' };
  if (elements.length === 1 && only.type === 'text' && only.style === undefined) {
    return { type: 'raw_text', text: only.text };
  }
  return rich(elements);
}

function rich(elements: RichTextElement[]): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

interface Style {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
}

const styles = { strong: { bold: true }, emphasis: { italic: true }, strike: { strike: true } } as const;
const mark = /\[(\d{1,4})\]/g;

function words(text: string, style: Style): RichTextElement[] {
  if (text === '') return [];
  return [{ type: 'text', text: inert(text), ...(Object.keys(style).length > 0 && { style }) }];
}

function elementsOf(inline: Inline, style: Style, numbers: Numbers): RichTextElement[] {
  switch (inline.kind) {
    case 'text':
      return words(
        inline.text.replace(mark, (whole, number) => {
          const found = numbers.get(Number(number));
          return found === undefined ? whole : `[${found}]`;
        }),
        style,
      );
    case 'code':
      return words(inline.text, { ...style, code: true });
    case 'break':
      return words(inline.hard ? '\n' : ' ', style);
    case 'image':
      return words(inline.alt, style);
    case 'link':
      return link(inline, style);
    default:
      return inline.children.flatMap((child) =>
        elementsOf(child, { ...style, ...styles[inline.kind] }, numbers),
      );
  }
}

function link(inline: Inline & { kind: 'link' }, style: Style): RichTextElement[] {
  const name = plainInline(inline.children);
  const target = followed(inline.destination);
  if (target === undefined) return words(name, style);
  const { href, host } = target;
  const shown = inert(name.trim() === '' ? host : name);
  const styled = Object.keys(style).length > 0 && { style };
  const told = labelMisleads(name, href) ? words(` (${host})`, style) : [];
  return [{ type: 'link', url: href, text: shown, ...styled }, ...told];
}
