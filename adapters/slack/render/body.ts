/** Renders the text of one message as blocks. */

import type {
  KnownBlock,
  MarkdownBlock,
  RichTextBlock,
  RichTextElement,
  RichTextText,
  TableBlock,
} from '@slack/types';
import {
  type Begin,
  type Block,
  type Cell,
  type Definitions,
  definitionsIn,
  followed,
  type Inline,
  inlined,
  labelMisleads,
  mend,
  type PlacedBlock,
  plainInline,
  renumberedWords,
  tableAsCode,
  withTables,
} from '../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { slackMarkdown } from './emit.ts';
import { inert } from './escape.ts';
import { createReading, type Reading } from './reading.ts';

export interface Body {
  readonly source: string;
  readonly begin: Begin;
  readonly to: number;
  /** True while more text is expected. Markdown that is still open, such as a code fence, is then closed. */
  readonly growing: boolean;
  readonly numbers: ReadonlyMap<number, number>;
  /** Addresses of the answer's reference links (`[label]: address`). If absent, reference links are shown as typed. */
  readonly definitions?: Definitions;
}

type PlacedTable = PlacedBlock & Table;

const mayBeTable = /^[ \t]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\||$)/m;

/**
 * Returns the Markdown of one message. If the message continues a block of the previous message, such as a code fence,
 * the Markdown first opens that block again.
 */
export function rawOf({ source, begin, to, growing }: Body): string {
  const raw = slackMarkdown.headOf(source, begin) + source.slice(begin.at, to);
  return growing ? mend(raw) : raw;
}

const known = new WeakMap<ReplyDocument, Definitions>();

/**
 * Returns the addresses of an answer's reference links. Empty while the answer grows, because an answer usually defines
 * its links at the end. Numbers that refer to sources are not links.
 */
export function definitionsOf(document: ReplyDocument): Definitions {
  const found = known.get(document) ?? readDefinitions(document);
  known.set(document, found);
  return found;
}

function readDefinitions(document: ReplyDocument): Definitions {
  if (!isFinal(document)) return new Map();
  const marks = new Set(document.sources.map(({ mark }) => String(mark)));
  return new Map([...definitionsIn(document.text)].filter(([label]) => !marks.has(label)));
}

/**
 * Renders a message's blocks. A message may contain one table of Slack's own kind; further tables, and tables that are
 * too large, are shown as code, or as a list if they contain links.
 * @param native true if a table of Slack's own kind is allowed
 * @param reading the parse result of the message's last edit
 */
export function bodyBlocks(body: Body, native: boolean, reading: Reading = createReading()): KnownBlock[] {
  // Slack's Markdown knows inline links only, so reference links are replaced.
  const raw = inlined(rawOf(body), body.definitions ?? new Map());
  const blocks: KnownBlock[] = [];
  const fresh = body.begin.fresh || body.begin.fence !== undefined;
  let stretches = 0;
  let text = '';
  let from = 0;
  let free = native;
  const written = (source: string, begins: boolean): MarkdownBlock[] =>
    markdownBlock(reading.markdown(stretches++, source, { fresh: begins, numbers: body.numbers }));
  for (const table of tablesIn(raw, reading)) {
    const block = free ? nativeTable(table, body.numbers) : undefined;
    text += raw.slice(from, table.from);
    from = table.to;
    if (block === undefined)
      text += hasLinks(table) ? tableAsList(raw.slice(table.from, table.to)) : tableAsCode(table);
    else {
      free = false;
      blocks.push(...written(text, fresh), block);
      text = '';
    }
  }
  const all = [...blocks, ...written(text + raw.slice(from), fresh || blocks.length > 0)];
  return all.map((block) =>
    block.type === 'markdown' ? { ...block, text: withTables(block.text, 0) } : block,
  );
}

const hasLinks = ({ head, rows }: Table): boolean => [head, ...rows].flat(2).some(holdsLink);

function holdsLink(inline: Inline): boolean {
  return inline.kind === 'link' || ('children' in inline && inline.children.some(holdsLink));
}

const outerBars = /^\s*\||(?<!\\)\|\s*$/g;

/** Returns the Markdown of a table as a list of its rows, because links have no effect in code. */
function tableAsList(source: string): string {
  const [head = '', _dashes, ...rows] = source
    .trimEnd()
    .split(/\r\n?|\n/)
    .map((row) => {
      const cells = row.replace(outerBars, '').split(/(?<!\\)\|/);
      return cells.map((cell) => cell.trim().replaceAll('\\|', '|') || '–').join(' · ');
    });
  return [`${head}\n`, ...rows.map((row) => `- ${row}`)].join('\n');
}

function tablesIn(raw: string, reading: Reading): readonly PlacedTable[] {
  if (!raw.includes('|') || !mayBeTable.test(raw)) return [];
  return reading.blocks(raw).filter((block): block is PlacedTable => block.kind === 'table');
}

function markdownBlock(text: string): MarkdownBlock[] {
  return text.trim() === '' ? [] : [{ type: 'markdown', text }];
}

type Table = Block & { kind: 'table' };
type Numbers = ReadonlyMap<number, number>;
type TableCell = TableBlock['rows'][number][number];

/** Slack's limits for a table: rows including the header, columns, characters in all cells, and characters per cell. */
const MAX_ROWS = 100;
const MAX_COLUMNS = 20;
const MAX_CHARS = 10_000;
const MAX_CELL_CHARS = 3_000;

/** Returns a table of Slack's own kind; undefined if the table exceeds a limit. */
function nativeTable(table: Table, numbers: Numbers): TableBlock | undefined {
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

export function rich(elements: RichTextElement[]): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

type Style = Readonly<NonNullable<RichTextText['style']>>;

const styles = { strong: { bold: true }, emphasis: { italic: true }, strike: { strike: true } } as const;

function words(text: string, style: Style): RichTextElement[] {
  if (text === '') return [];
  return [{ type: 'text', text: inert(text), ...(Object.keys(style).length > 0 && { style }) }];
}

function elementsOf(inline: Inline, style: Style, numbers: Numbers): RichTextElement[] {
  switch (inline.kind) {
    case 'text':
      return words(renumberedWords(inline.text, numbers), style);
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
  const label = inert(name.trim() === '' ? host : name);
  const styled = Object.keys(style).length > 0 && { style };
  const warning = labelMisleads(name, href) ? words(` (${host})`, style) : [];
  return [{ type: 'link', url: href, text: label, ...styled }, ...warning];
}
