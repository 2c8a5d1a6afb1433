/** Safe Markdown that grows, as a terminal shows it: line by line, and in a line as far as it is decided. */

import stringWidth from 'string-width';
import { unquoted } from '../../kit/emission.ts';
import { type Block, type Cell, parse } from '../../kit.ts';
import { plain } from '../print.ts';
import { decidedEnd } from './decided.ts';
import { cellRuns, runsOf, withoutBreaks } from './inline.ts';
import type { Pen, Run, Style } from './pen.ts';

const fenceLine = /^(`{3,})[^`]*$/;
const mayBeFence = /^`{1,2}$|^`{3,}[^`]*$/;
/** Only a line of nothing else ends a fence. */
const mayEndFence = /^`*[ \t]*$/;
const row = /^[ \t>]*\|/;
const mayBeRow = /^[ \t>]*$/;
/** A longer line is no more waited for to learn whether it is a table's. */
const MAX_ROW_CHARS = 8_192;
const marks = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;

export class Sheet {
  readonly #pen: Pen;
  /** End of the last line that is not shown yet. */
  #held = '';
  /** The character before it; absent while nothing of its line is shown. */
  #before: string | undefined;
  #fence: string | undefined;
  /** Lines of a table whose end has not come: its columns are as wide as its widest cells. */
  #table: string[] = [];

  constructor(pen: Pen) {
    this.#pen = pen;
  }

  /** @param markdown what follows; no construct but emphasis and an entity goes on in the next piece */
  add(markdown: string): void {
    const lines = (this.#held + markdown).split('\n');
    this.#held = lines.pop() ?? '';
    for (const line of lines) this.#wholeLine(line);
    if (this.#held !== '') this.#grow();
  }

  /** Shows the rest: no more text follows. */
  end(): void {
    const last = this.#held;
    this.#held = '';
    if (last !== '') this.#line(last, '');
    this.#endTable();
  }

  #wholeLine(line: string): void {
    this.#line(line, '\n');
    this.#before = undefined;
  }

  #line(line: string, end: string): void {
    if (this.#before !== undefined) this.#rest(line, end);
    else if (this.#fence !== undefined) this.#codeLine(line, this.#fence, end);
    else if (row.test(line)) this.#table.push(line);
    else {
      this.#endTable();
      const fence = fenceLine.exec(line)?.[1];
      if (fence === undefined) this.#rest(this.#begin(line), end);
      else {
        this.#fence = fence;
        this.#whole(line, 'dim', end);
      }
    }
  }

  #codeLine(line: string, fence: string, end: string): void {
    const ends = line.trimEnd() === fence;
    if (ends) this.#fence = undefined;
    this.#whole(line, ends ? 'dim' : 'code', end);
  }

  #whole(line: string, style: Style, end: string): void {
    this.#pen.verbatim(line, style);
    this.#pen.write(end);
  }

  /** The last part of a line that has begun. A backslash at its end asked for a new line. */
  #rest(text: string, end: string): void {
    if (this.#fence !== undefined) this.#pen.verbatim(text, 'code');
    else
      this.#pen.runs(
        runsOf(end === '' ? text : text.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1'), this.#before ?? ''),
      );
    this.#pen.write(end);
  }

  /** The line at the end, as far as it is decided. */
  #grow(): void {
    if (this.#before === undefined && !this.#mayBegin()) return;
    const end = this.#fence === undefined ? decidedEnd(this.#held, this.#before ?? '') : this.#held.length;
    if (end === 0) return;
    const shown = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    this.#rest(shown, '');
    this.#before = /.$/su.exec(shown)?.[0] ?? '';
  }

  /** True if the beginning of the line is decided, so that it can be shown. */
  #mayBegin(): boolean {
    const held = this.#held;
    const waits = held.length <= MAX_ROW_CHARS;
    if (this.#fence !== undefined) {
      if (waits && mayEndFence.test(held)) return false;
      this.#before = '';
      return true;
    }
    if (waits && (mayBeFence.test(held) || row.test(held) || mayBeRow.test(held))) return false;
    this.#endTable();
    this.#held = this.#begin(held);
    this.#before = '';
    return true;
  }

  /** Shows the marks of quotes and lists that a line begins with, and gives the rest. */
  #begin(line: string): string {
    const lead = marks.exec(line)?.[0] ?? '';
    this.#pen.write(lead.replace(/[*+]/g, '-'));
    this.#pen.hangHere();
    return line.slice(lead.length);
  }

  #endTable(): void {
    const lines = this.#table;
    if (lines.length === 0) return;
    this.#table = [];
    const [block] = parse(lines.map(unquoted).map(withoutBreaks).join('\n'));
    if (block?.kind === 'table') writeTable(block, this.#pen);
    else for (const line of lines) this.#rest(this.#begin(line), '\n');
  }
}

/** A table in columns, or row by row where the terminal is too narrow for them. */
type Table = Block & { readonly kind: 'table' };
type Alignment = Table['align'][number];

const GAP = '  ';
const NO_CELL = '–';

interface Field {
  readonly runs: readonly Run[];
  readonly width: number;
}

function writeTable({ align, head, rows }: Table, pen: Pen): void {
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
