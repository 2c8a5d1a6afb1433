/** Prints growing safe Markdown line by line. Of an incomplete line, prints the part whose style is final. */

import stringWidth from 'string-width';
import { unquoted } from '../../kit/emission.ts';
import { type Block, type Cell, parse } from '../../kit.ts';
import { plain } from '../print.ts';
import { decidedEnd } from './decided.ts';
import { cellRuns, runsOf, withoutBreaks } from './inline.ts';
import type { Pen, Run, Style } from './pen.ts';

const fenceLine = /^(`{3,})[^`]*$/;
const mayBeFence = /^`{1,2}$|^`{3,}[^`]*$/;
/** Matches a line that may end a fence: it contains only backticks. */
const mayEndFence = /^`*[ \t]*$/;
const row = /^[ \t>]*\|/;
const mayBeRow = /^[ \t>]*$/;
/** Maximum length of an incomplete line that is held back because it may be a table row. */
const MAX_ROW_CHARS = 8_192;
const marks = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;

export class Sheet {
  readonly #pen: Pen;
  /** The part of the last line that is not shown yet. */
  #held = '';
  /** The character before the held text; undefined while no part of the line is shown. */
  #before: string | undefined;
  #fence: string | undefined;
  /** Lines of an unfinished table. They are held back, because column widths depend on the widest cells. */
  #table: string[] = [];

  constructor(pen: Pen) {
    this.#pen = pen;
  }

  /** @param markdown the next piece of the text; only emphasis and entities may continue beyond its end */
  add(markdown: string): void {
    const lines = (this.#held + markdown).split('\n');
    this.#held = lines.pop() ?? '';
    for (const line of lines) this.#wholeLine(line);
    if (this.#held !== '') this.#grow();
  }

  /** Shows the rest, because no more text follows. */
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

  /** Writes the last part of a line of which a part is shown. A backslash at its end is a line break. */
  #rest(text: string, end: string): void {
    if (this.#fence !== undefined) this.#pen.verbatim(text, 'code');
    else
      this.#pen.runs(
        runsOf(end === '' ? text : text.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1'), this.#before ?? ''),
      );
    this.#pen.write(end);
  }

  /** Writes the part of the incomplete line that is final. */
  #grow(): void {
    if (this.#before === undefined && !this.#mayBegin()) return;
    const end = this.#fence === undefined ? decidedEnd(this.#held, this.#before ?? '') : this.#held.length;
    if (end === 0) return;
    const shown = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    this.#rest(shown, '');
    this.#before = /.$/su.exec(shown)?.[0] ?? '';
  }

  /** True if the beginning of the line is final and can be shown. */
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

  /** Writes the quote and list marks at the start of a line, and returns the rest of the line. */
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

/** A table, printed in columns, or row by row if the terminal is too narrow. */
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

/** Converts a cell to one line. */
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
