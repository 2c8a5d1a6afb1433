import type { Block } from './blocks.ts';
import { plainInline } from './inline.ts';

type Table = Block & { kind: 'table' };

/** Maximum width to which a column is padded, in characters. */
const MAX_COLUMN_CHARS = 40;

/** Returns a table as a code fence with padded columns, in Markdown. */
export function tableAsCode({ head, rows }: Table): string {
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
