/** A table in columns, or row by row where the terminal is too narrow for them. */

import stringWidth from 'string-width';
import type { Block, Cell } from '../../kit.ts';
import { plain } from '../print.ts';
import { cellRuns } from './inline.ts';
import type { Pen, Run, Style } from './pen.ts';

type Table = Block & { readonly kind: 'table' };
type Alignment = Table['align'][number];

const GAP = '  ';
const NO_CELL = '–';

interface Field {
  readonly runs: readonly Run[];
  readonly width: number;
}

export function writeTable({ align, head, rows }: Table, pen: Pen): void {
  const titles = head.map((cell) => fieldOf(cell, 'bold'));
  const lines = rows.map((row) => row.map((cell) => fieldOf(cell)));
  const widths = titles.map(({ width }, column) =>
    lines.reduce((widest, fields) => Math.max(widest, fields[column]?.width ?? 0), width),
  );
  const whole = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (whole > pen.width()) {
    lines.forEach((fields, index) => {
      if (index > 0) pen.write('\n');
      writeRecord(titles, fields, pen);
    });
    return;
  }
  const columns = widths.map((width, column) => ({ width, align: align[column] ?? 'none' }));
  writeRow(titles, columns, pen);
  pen.write(widths.map((width) => '─'.repeat(width)).join(GAP), 'dim');
  pen.write('\n');
  for (const fields of lines) writeRow(fields, columns, pen);
}

/** One line, whatever stands in it. */
function fieldOf(cell: Cell, ...styles: readonly Style[]): Field {
  const runs = cellRuns(cell, ...styles).map((run) => ({
    ...run,
    text: plain(run.text).replace(/\s+/g, ' '),
  }));
  return { runs, width: runs.reduce((sum, { text }) => sum + stringWidth(text), 0) };
}

interface Column {
  readonly width: number;
  readonly align: Alignment;
}

function writeRow(fields: readonly Field[], columns: readonly Column[], pen: Pen): void {
  columns.forEach(({ width, align }, column) => {
    const { runs, width: taken } = fields[column] ?? { runs: [], width: 0 };
    const [before, after] = padding(width - taken, align);
    const isLast = column === columns.length - 1;
    pen.write((column === 0 ? '' : GAP) + ' '.repeat(before));
    pen.runs(runs);
    pen.write(isLast ? '\n' : ' '.repeat(after));
  });
}

function padding(free: number, align: Alignment): readonly [number, number] {
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return [before, free - before];
}

function writeRecord(titles: readonly Field[], fields: readonly Field[], pen: Pen): void {
  titles.forEach(({ runs }, column) => {
    const field = fields[column];
    pen.runs(runs);
    pen.write(runs.length === 0 ? '' : ': ');
    if (field === undefined || field.width === 0) pen.write(NO_CELL);
    else pen.runs(field.runs);
    pen.write('\n');
  });
}
