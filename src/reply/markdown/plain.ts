import { type Block, type Cell, type ListItem, mapInlines } from './blocks.ts';
import { plainInline, showsAddress } from './inline.ts';
import { safeDestination } from './links.ts';
import { parse } from './parse.ts';

const indented = (text: string, by: string): string => text.replace(/\n(?=[^\n])/g, `\n${by}`);

function itemText(item: ListItem, mark: string): string {
  const task = item.done === undefined ? '' : item.done ? '[x] ' : '[ ] ';
  const text = plainBlocks(item.children, '\n');
  return `${mark}${task}${indented(text, ' '.repeat(mark.length))}`;
}

/** Shown for an empty cell, so that people can tell which column the other cells belong to. */
const NO_CELL = '–';

/** Returns a row as one line of text; an empty list if all cells are empty. */
function plainRow(row: readonly Cell[]): readonly string[] {
  const cells = row.map((cell) => plainInline(cell).trim());
  if (cells.every((cell) => cell === '')) return [];
  return [cells.map((cell) => (cell === '' ? NO_CELL : cell)).join(' · ')];
}

function plainBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return plainInline(block.children);
    case 'quote':
      return `> ${plainBlocks(block.children, '\n\n').replace(/\n/g, '\n> ')}`;
    case 'list': {
      const { start } = block;
      const mark = (at: number): string => (start === undefined ? '- ' : `${start + at}. `);
      return block.items.map((item, at) => itemText(item, mark(at))).join('\n');
    }
    case 'code':
      return block.text;
    case 'table':
      return [block.head, ...block.rows].flatMap(plainRow).join('\n');
    case 'rule':
      return '---';
  }
}

/**
 * Returns blocks as text without markup. List marks are kept, cells are separated by dots, and images are shown as
 * their alternative text.
 */
export function plainBlocks(blocks: readonly Block[], between: string): string {
  return blocks.map(plainBlock).join(between);
}

/** Returns the blocks with each link's address behind its text, for messages that show no links. */
export const withAddresses = (blocks: readonly Block[]): readonly Block[] => mapInlines(blocks, addressed);

function addressed(inlines: Cell): Cell {
  return inlines.flatMap((inline): Cell => {
    if (inline.kind === 'link') {
      const address = showsAddress(inline) ? undefined : safeDestination(inline.destination)?.href;
      return address === undefined ? [inline] : [inline, { kind: 'text', text: ` (${address})` }];
    }
    return 'children' in inline ? [{ ...inline, children: addressed(inline.children) }] : [inline];
  });
}

/**
 * Returns a Markdown text as plain text, for notifications, fallbacks and terminals. `plainText` in `parley/kit`.
 * @example
 * ```ts
 * plainText('**Hi**, [Ada](https://chat.example)!'); // 'Hi, Ada!'
 * ```
 */
export function plain(text: string): string {
  return plainBlocks(parse(text), '\n\n');
}

/** Maximum width to which a column is padded, in characters. */
const MAX_COLUMN_CHARS = 40;

/** Returns a table as Markdown: a code fence that contains its columns padded with spaces. */
export function tableAsCode({ head, rows }: Block & { kind: 'table' }): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => plainInline(cell).replace(/\s+/g, ' ').trim()),
  );
  const widths = head.map((_, column) =>
    cells.reduce((widest, row) => Math.min(MAX_COLUMN_CHARS, Math.max(widest, row[column]?.length ?? 0)), 0),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const marks = '`'.repeat(
    Math.max(3, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length + 1)),
  );
  return [marks, ...lines, marks].join('\n');
}
