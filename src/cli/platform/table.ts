import stringWidth from 'string-width';
import { timeOf } from '../../platform/api.ts';
import { plain } from '../print.ts';

/** Number of spaces between two columns. */
const GAP = 2;
/** Minimum width to which a column may be shortened, in characters. */
const LEAST = 8;

type Row = Readonly<Record<string, unknown>>;

/** Formats rows as a table that fits into the width. Leaves out columns that are empty in every row. */
export function tableOf(rows: readonly Row[], width: number): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== 'raw' && rows.some((row) => cellOf(row[name]) !== ''),
  );
  const cells = rows.map((row) => names.map((name) => cellOf(row[name])));
  const columns = names.map((name, index) => {
    const title = lineOf(name);
    const texts = cells.map((row) => row[index] ?? '');
    return { title, width: Math.max(...[title, ...texts].map((text) => stringWidth(text))), id: isId(name) };
  });
  const fitted = narrowed(columns, width);
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => padded(text, fitted[index] ?? 0))
      .filter((_, index) => fitted[index] !== 0)
      .join(' '.repeat(GAP))
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  const lines = [line(titles), line(fitted.map((each) => '─'.repeat(each))), ...cells.map(line)];
  const hidden = titles.filter((_, index) => fitted[index] === 0);
  if (hidden.length > 0) lines.push(`(not shown: ${hidden.join(', ')}; --json shows all)`);
  return lines.join('\n');
}

/** True for the names of ids. Ids are never shortened, because people copy them into the next command. */
const isId = (name: string): boolean => /^(id|uuid)s?$|(Id|ID|Uuid|UUID)s?$|_ids?$/.test(name);

/** Formats one record, with one line per field. */
export function recordOf(record: Row, width: number): string {
  const entries = Object.entries(record)
    .filter(([name]) => name !== 'raw')
    .map(([name, value]) => ({ title: lineOf(name), text: cellOf(value), id: isId(name) }))
    .filter(({ text }) => text !== '');
  const widest = Math.max(0, ...entries.map(({ title }) => stringWidth(title)));
  const room = Math.max(LEAST, width - widest - GAP);
  return entries
    .map(({ title, text, id }) => `${padded(title, widest)}${' '.repeat(GAP)}${id ? text : cut(text, room)}`)
    .join('\n');
}

interface TreeNode {
  readonly nodeName?: string | undefined;
  readonly nodeId: string;
  readonly code?: string | undefined;
  readonly childNodeList: readonly TreeNode[];
}

/** Formats nodes as a tree, each above its children. */
export function treeOf(nodes: readonly TreeNode[], indent = ''): string {
  return nodes
    .map((node, index) => {
      const last = index === nodes.length - 1;
      const { nodeName = '', code = '', nodeId, childNodeList } = node;
      const line = `${indent}${last ? '└─' : '├─'} ${lineOf(nodeName)}  ${lineOf(code)}  ${lineOf(nodeId)}`;
      const below = treeOf(childNodeList, `${indent}${last ? '  ' : '│ '}`);
      return below === '' ? line : `${line}\n${below}`;
    })
    .join('\n');
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly id: boolean;
}

/**
 * Returns column widths that fit the terminal. First it drops columns (width 0) from the end, until the others fit at
 * their minimum widths. The name column is dropped last; the row's own id is never dropped, even if it is wider than
 * the terminal. Then it narrows the widest columns. The name column is narrowed last; ids are never narrowed.
 */
function narrowed(columns: readonly Column[], width: number): readonly number[] {
  const least = columns.map((column) => (column.id ? column.width : Math.min(column.width, LEAST)));
  const own = ownIdOf(columns);
  const name = nameOf(columns);
  for (let last = least.length - 1; last >= 0 && total(least) > width; last -= 1)
    if (last !== own && last !== name) least[last] = 0;
  if (name !== own && name !== -1 && total(least) > width) least[name] = 0;
  const fitted = columns.map((column, index) => (least[index] === 0 ? 0 : column.width));
  const others = [...columns.keys()].filter((index) => !columns[index]?.id && index !== name);
  for (const givers of [others, [name]])
    while (total(fitted) > width) if (!narrowWidest(fitted, givers, total(fitted) - width)) break;
  return fitted;
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + (each > 0 ? each + GAP : 0), -GAP);

/** Returns the index of the column that contains the row's own id. */
function ownIdOf(columns: readonly Column[]): number {
  const named = columns.findIndex(({ title }) => title === 'id');
  const first = columns.findIndex(({ id }) => id);
  return Math.max(0, named === -1 ? first : named);
}

/** Returns the index of the column that contains the row's name; -1 if there is none. */
const nameOf = (columns: readonly Column[]): number =>
  columns.findIndex(({ title }) => /(^|[a-z])name$|^title$/i.test(title));

/**
 * Narrows the widest of the given columns, but not below the width of the next widest column. Returns false if none can
 * be narrowed.
 */
function narrowWidest(fitted: number[], givers: readonly number[], over: number): boolean {
  const widths = givers.map((index) => fitted[index] ?? 0);
  const widest = Math.max(0, ...widths);
  if (widest <= LEAST) return false;
  const next = Math.max(LEAST, ...widths.filter((each) => each < widest));
  const share = Math.ceil(over / widths.filter((each) => each === widest).length);
  const target = Math.max(next, widest - share);
  for (const index of givers) if (fitted[index] === widest) fitted[index] = target;
  return true;
}

/** Returns text of the platform on one line, because its line breaks could imitate rows. */
const lineOf = (text: string): string => plain(text).replace(/\s+/g, ' ').trim();

/** Formats a value on one line. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return shownTime(value) ?? lineOf(value);
  if (typeof value !== 'object') return String(value);
  if (isUnknown(value)) return lineOf(String(value.value));
  if (Array.isArray(value)) return value.map(cellOf).join(', ');
  return Object.entries(value)
    .map(([name, each]) => [name, cellOf(each)] as const)
    .filter(([name, text]) => name !== 'raw' && text !== '')
    .map(([name, text]) => `${lineOf(name)}: ${text}`)
    .join('; ');
}

/** True for a value that the platform's documentation does not list. It is shown as received. */
const isUnknown = (value: object): value is { value: unknown } => 'known' in value && value.known === false;

/** Converts a date and time to the local time zone (platform contract GEN-13: times). */
function shownTime(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:/.test(text)) return undefined;
  const time = timeOf(text);
  if (time === undefined) return undefined;
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16).replace('T', ' ');
}

const padded = (text: string, width: number): string => {
  const visible = cut(text, width);
  return visible + ' '.repeat(Math.max(0, width - stringWidth(visible)));
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let head = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    head += segment;
  }
  return `${head}…`;
}
