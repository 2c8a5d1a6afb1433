import stringWidth from 'string-width';
import { timeOf } from '../../platform/api.ts';
import { plain } from '../print.ts';

/** Columns between two cells. */
const GAP = 2;
/** A column is not made narrower than this. */
const LEAST = 8;

type Row = Readonly<Record<string, unknown>>;

/** Rows as a table that fits a width; columns that are empty in every row are left out. */
export function tableOf(rows: readonly Row[], width: number): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== 'raw' && rows.some((row) => cellOf(row[name]) !== ''),
  );
  const cells = rows.map((row) => names.map((name) => cellOf(row[name])));
  const titles = names.map(lineOf);
  const widths = titles.map((title, index) =>
    Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[index] ?? ''))),
  );
  const fitted = narrowed(widths, width);
  const shown = fitted.filter((each) => each > 0).length;
  const line = (texts: readonly string[]): string =>
    texts
      .slice(0, shown)
      .map((text, index) => padded(text, fitted[index] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd();
  const lines = [line(titles), line(fitted.map((each) => '─'.repeat(each))), ...cells.map(line)];
  const hidden = titles.slice(shown);
  if (hidden.length > 0) lines.push(`(not shown: ${hidden.join(', ')}; --json shows all)`);
  return lines.join('\n');
}

/** One thing, member by member. */
export function recordOf(record: Row, width: number): string {
  const entries = Object.entries(record)
    .filter(([name]) => name !== 'raw')
    .map(([name, value]) => [lineOf(name), cellOf(value)] as const)
    .filter(([, text]) => text !== '');
  const widest = Math.max(0, ...entries.map(([name]) => stringWidth(name)));
  return entries
    .map(
      ([name, text]) =>
        `${padded(name, widest)}${' '.repeat(GAP)}${cut(text, Math.max(LEAST, width - widest - GAP))}`,
    )
    .join('\n');
}

interface TreeNode {
  readonly nodeName?: string | undefined;
  readonly nodeId: string;
  readonly code?: string | undefined;
  readonly childNodeList: readonly TreeNode[];
}

/** Nodes with those below them. */
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

/** Widths that fit: the widest columns give first; what still does not fit is left out from the end. */
function narrowed(widths: readonly number[], width: number): readonly number[] {
  const fitted = [...widths];
  const total = (): number => fitted.reduce((sum, each) => sum + (each > 0 ? each + GAP : 0), -GAP);
  while (total() > width) {
    const widest = Math.max(...fitted);
    if (widest > LEAST) {
      const next = Math.max(LEAST, ...fitted.filter((each) => each < widest));
      const over = Math.ceil((total() - width) / fitted.filter((each) => each === widest).length);
      const target = Math.max(next, widest - over);
      for (const [index, each] of fitted.entries()) if (each === widest) fitted[index] = target;
      continue;
    }
    const last = fitted.findLastIndex((each) => each > 0);
    if (last <= 0) break;
    fitted[last] = 0;
  }
  return fitted;
}

/** Text from elsewhere as one line; its line breaks would forge rows. */
const lineOf = (text: string): string => plain(text).replace(/\s+/g, ' ').trim();

/** A value in one line. */
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

/** An enumeration's value that nobody documented is shown as it came. */
const isUnknown = (value: object): value is { value: unknown } => 'known' in value && value.known === false;

/** Date-times in the reader's own zone (platform contract GEN-13). */
function shownTime(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:/.test(text)) return undefined;
  const time = timeOf(text);
  if (time === undefined) return undefined;
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16).replace('T', ' ');
}

const padded = (text: string, width: number): string => {
  const shown = cut(text, width);
  return shown + ' '.repeat(Math.max(0, width - stringWidth(shown)));
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}
