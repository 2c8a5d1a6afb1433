/** Renders tables of an answer as tables of a card. */

import {
  type Block,
  type Cell,
  type HiddenTable,
  type Plain,
  parse,
  plainInline,
  tableAsCode,
  unquoted,
} from '../../../src/kit/ladder.ts';
import { line, quiet, type Run, richText, run, runsOf, type Style } from './runs.ts';
import { words } from './words.ts';

type Table = Block & { kind: 'table' };
type Numbers = ReadonlyMap<number, number>;

/** Maximum columns of a table, because a wider table is hard to read; a note counts the columns that are left out. */
const MAX_COLUMNS = 20;
/**
 * Maximum width of a column, in characters; longer texts wrap. A single longer word widens the column, up to
 * `WORD_CHARS`.
 */
const LINE_CHARS = 16;
/** Maximum width that a single word gives a column, in characters. Longer words, such as addresses, wrap. */
const WORD_CHARS = 24;
/** Width of a cell's left and right margin together, in characters. */
const EDGE_CHARS = 2;
/** UTF-16 units of a table's frame and of the note that rows were left out. */
const FRAME_UNITS = 200;

/** Renders the rows that fit into `units`, and a note that counts the rows that do not fit. */
export function tableElement(table: Table, numbers: Numbers, units: number): readonly Plain[] {
  const width = Math.min(table.align.length, MAX_COLUMNS);
  const rows = [];
  let used = FRAME_UNITS;
  for (const [at, cells] of [table.head, ...table.rows].entries()) {
    const row = rowOf(cells.slice(0, width), numbers, at === 0 ? { weight: 'Bolder' } : {});
    used += JSON.stringify(row).length + 1;
    if (used > units && at > 0) break;
    rows.push(row);
  }
  const left = [
    ...(table.rows.length >= rows.length ? [words.moreRows(table.rows.length + 1 - rows.length)] : []),
    ...(table.align.length > width ? [words.moreColumns(table.align.length - width)] : []),
  ].join(', ');
  return [
    // Cards show a table's first row as its header by default.
    { type: 'Table', columns: columnsOf(table, width), rows },
    ...(left === '' ? [] : [line(left, quiet, { spacing: 'Small' })]),
  ];
}

const alignments = { left: 'Left', center: 'Center', right: 'Right', none: 'Left' } as const;

function columnsOf({ head, rows, align }: Table, width: number): readonly Plain[] {
  return align.slice(0, width).map((side, at) => ({
    width: weightOf([head, ...rows.slice(0, 100)].map((row) => plainInline(row[at] ?? []))),
    horizontalCellContentAlignment: alignments[side],
  }));
}

/**
 * Returns a column's relative width: the length of its longest text, up to `LINE_CHARS`, or of its longest word, up to
 * `WORD_CHARS`, whichever is larger.
 */
function weightOf(texts: readonly string[]): number {
  const line = longestOf(texts);
  const word = longestOf(texts.flatMap((text) => text.split(/\s+/)));
  return EDGE_CHARS + Math.max(1, Math.min(line, LINE_CHARS), Math.min(word, WORD_CHARS));
}

const longestOf = (texts: readonly string[]): number =>
  texts.reduce((most, { length }) => Math.max(most, length), 0);

function rowOf(cells: readonly Cell[], numbers: Numbers, style: Style): Plain {
  return { type: 'TableRow', cells: cells.map((cell) => cellOf(runsOf(cell, numbers, style))) };
}

/** Returns a cell. An empty cell contains a space, because Teams would otherwise show it lower than its neighbours. */
const cellOf = (runs: readonly Run[]): Plain => ({
  type: 'TableCell',
  items: [richText(runs.length === 0 ? [run(' ')] : runs)],
});

export interface ShownTable {
  readonly table: Table;
  /** Number of the table, by which the text refers to it. */
  readonly number: number;
}

/**
 * Renders tables with captions. All tables share `units`: if earlier tables use most of them, later tables lose rows,
 * but keep their header row.
 */
export function tableElements(
  tables: readonly ShownTable[],
  numbers: Numbers,
  units: number,
): readonly Plain[] {
  let left = units;
  return tables.flatMap(({ table, number }) => {
    const element = tableElement(table, numbers, left);
    left -= JSON.stringify(element).length;
    return [line(words.table(number), { weight: 'Bolder' }, { spacing: 'Medium' }), ...element];
  });
}

/** Returns the tables that the card shows because the text does not. */
export function shownTables(source: string, hidden: readonly HiddenTable[]): readonly ShownTable[] {
  return hidden.flatMap((place) => {
    const table = tableAt(source, place);
    return table === undefined ? [] : [{ table, number: place.number }];
  });
}

/** Returns the Markdown with its tables as code, and their links below. Used for messages without a card. */
export function withoutTables(source: string, hidden: readonly HiddenTable[]): string {
  let text = '';
  let from = 0;
  for (const place of hidden) {
    const table = tableAt(source, place);
    if (table === undefined) continue;
    text += `${source.slice(from, place.from)}\n${tableAsCode(table)}\n${linksOf(table)}\n`;
    from = place.to;
  }
  return text + source.slice(from);
}

/** Returns each link of a table on a line of its own, because code contains no links. */
function linksOf({ head, rows }: Table): string {
  const links = [head, ...rows].flat().flatMap(linksIn);
  return [...new Set(links)].map((link) => `\n${link}`).join('');
}

function linksIn(cell: Cell): readonly string[] {
  return cell.flatMap((inline) => {
    if (inline.kind !== 'link') return 'children' in inline ? linksIn(inline.children) : [];
    const label = plainInline(inline.children).replace(/[[\]\\]/g, '\\$&');
    return [`[${label}](${inline.destination.replace(/[()\s<>\\]/g, encoded)})`];
  });
}

const encoded = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;

function tableAt(source: string, { from, to }: HiddenTable): Table | undefined {
  const lines = source
    .slice(from, to)
    .split(/\r\n?|\n/)
    .map(unquoted);
  return parse(withWiderHead(lines).join('\n')).find((block) => block.kind === 'table');
}

/**
 * Maximum columns to which a header is widened when its rows are longer. Without the widening, a parser would drop the
 * surplus cells.
 */
const MAX_WIDENED = 50;

const columnsIn = (line: string): number =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/).length;

function withWiderHead([head = '', dashes = '', ...rows]: readonly string[]): readonly string[] {
  const columns = columnsIn(head);
  const widest = rows.reduce((most, row) => Math.max(most, columnsIn(row)), columns);
  const missing = Math.min(widest, MAX_WIDENED) - columns;
  if (missing <= 0) return [head, dashes, ...rows];
  const longer = (line: string, cell: string): string =>
    `${line.trimEnd().replace(/\|?$/, '|')}${cell.repeat(missing)}`;
  return [longer(head, ' |'), longer(dashes, ' - |'), ...rows];
}
