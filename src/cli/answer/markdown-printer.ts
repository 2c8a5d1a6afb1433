/**
 * Prints Markdown that grows and that the bridge has made safe. Prints complete lines, and an incomplete line as soon as
 * its kind is final.
 */

import stringWidth from 'string-width';
import { unquoted } from '../../kit/emission.ts';
import { type Block, type Cell, parse } from '../../kit/ladder.ts';
import { plain } from '../print.ts';
import { cellRuns, inertAddresses, runsOf, withoutBreaks } from './inline.ts';
import type { Style, StyledWriter } from './styled-writer.ts';

const fenceLine = /^(`{3,})[^`]*$/;
const row = /^[ \t>]*\|/;
/** Maximum characters of an incomplete line that are held back because the line may be a table row. */
const MAX_ROW_CHARS = 8_192;
const marks = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;

export class MarkdownPrinter {
  readonly #writer: StyledWriter;
  /** The part of the last line that is not printed yet. */
  #held = '';
  /** The character before `#held`; undefined while nothing of the line is printed. */
  #before: string | undefined;
  #fence: string | undefined;
  /**
   * Lines of a table whose end has not arrived. They are held back, because the widest cell of a column decides the
   * width of the column.
   */
  #table: string[] = [];

  constructor(writer: StyledWriter) {
    this.#writer = writer;
  }

  /**
   * @param markdown the next piece of the text, not blank; only plain text and code blocks may continue in the following
   * piece
   */
  add(markdown: string): void {
    for (const piece of markdown.split(/(?<=\n)/)) {
      this.#held += piece;
      if (piece.endsWith('\n') || this.#before !== undefined || !this.#waits()) this.#print();
    }
  }

  /** Prints what was held back, because no more text follows. */
  end(): void {
    if (this.#held !== '') this.#print();
    this.#endTable();
  }

  /** True if further text decides the kind of the line. */
  #waits(): boolean {
    const held = this.#held;
    if (this.#fence !== undefined) return held === this.#fence;
    return fenceLine.test(held) || (held.length <= MAX_ROW_CHARS && row.test(held));
  }

  /** Prints what was held back: a line, or a part of one. Rows of a table are printed when the table ends. */
  #print(): void {
    const text = this.#held.replace(/\n$/, '');
    const end = this.#held.slice(text.length);
    const before = this.#before;
    this.#held = '';
    this.#before = end === '' ? (/.$/su.exec(text)?.[0] ?? '') : undefined;
    if (this.#fence !== undefined) this.#code(text, before === undefined && text.trimEnd() === this.#fence);
    else if (before !== undefined) this.#prose(text, before, end);
    else if (row.test(text) && (end !== '' || text.length <= MAX_ROW_CHARS)) {
      this.#table.push(text);
      return;
    } else this.#begin(text, end);
    this.#writer.write(end);
  }

  #code(text: string, ends: boolean): void {
    if (ends) this.#fence = undefined;
    this.#writer.verbatim(text, ends ? 'dim' : 'code');
  }

  /** Prints a line that is no row and no code, or the beginning of one. */
  #begin(text: string, end: string): void {
    this.#endTable();
    this.#fence = fenceLine.exec(text)?.[1];
    if (this.#fence === undefined) this.#line(text, end);
    else this.#writer.verbatim(text, 'dim');
  }

  /** Prints the text of a line after the markers of quotes and lists. */
  #line(text: string, end: string): void {
    const lead = marks.exec(text)?.[0] ?? '';
    this.#writer.write(lead.replace(/[*+]/g, '-'));
    this.#writer.hangHere();
    this.#prose(text.slice(lead.length), '', end);
  }

  /** If the line ends after the text, leaves out a backslash at its end, which only marks a line break. */
  #prose(text: string, before: string, end: string): void {
    const visible = end === '' ? text : text.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1');
    this.#writer.runs(runsOf(visible, before));
  }

  #endTable(): void {
    const lines = this.#table;
    if (lines.length === 0) return;
    this.#table = [];
    // The second line of a table contains no text.
    const inert = lines
      .map(unquoted)
      .map((line, at) => (at === 1 ? line : inertAddresses(withoutBreaks(line))));
    const [block] = parse(inert.join('\n'));
    if (block?.kind === 'table') writeTable(block, this.#writer);
    else
      for (const line of lines) {
        this.#line(line, '\n');
        this.#writer.write('\n');
      }
  }
}

/** A table. It is printed in columns, or row by row if the terminal is too narrow. */
type Table = Block & { readonly kind: 'table' };
type Alignment = Table['align'][number];

const GAP = '  ';
const NO_CELL = '–';

type Field = ReturnType<typeof fieldOf>;

function writeTable({ align, head, rows }: Table, writer: StyledWriter): void {
  const titles = head.map((cell) => fieldOf(cell, 'bold'));
  const lines = rows.map((row) => row.map((cell) => fieldOf(cell)));
  const widths = titles.map(({ width }, column) =>
    lines.reduce((widest, fields) => Math.max(widest, fields[column]?.width ?? 0), width),
  );
  const whole = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (whole > writer.width()) {
    lines.forEach((fields, index) => {
      if (index > 0) writer.write('\n');
      writeRecord(titles, fields, writer);
    });
    return;
  }
  const columns = widths.map((width, column) => ({ width, align: align[column] ?? 'none' }));
  writeRow(titles, columns, writer);
  writer.write(widths.map((width) => '─'.repeat(width)).join(GAP), 'dim');
  writer.write('\n');
  for (const fields of lines) writeRow(fields, columns, writer);
}

/** Converts a table cell into runs without line breaks. */
function fieldOf(cell: Cell, ...styles: readonly Style[]) {
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

function writeRow(fields: readonly Field[], columns: readonly Column[], writer: StyledWriter): void {
  columns.forEach(({ width, align }, column) => {
    const { runs, width: taken } = fields[column] ?? { runs: [], width: 0 };
    const [before, after] = padding(width - taken, align);
    const isLast = column === columns.length - 1;
    writer.write((column === 0 ? '' : GAP) + ' '.repeat(before));
    writer.runs(runs);
    writer.write(isLast ? '\n' : ' '.repeat(after));
  });
}

function padding(free: number, align: Alignment): readonly [number, number] {
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
  return [before, free - before];
}

function writeRecord(titles: readonly Field[], fields: readonly Field[], writer: StyledWriter): void {
  titles.forEach(({ runs }, column) => {
    const field = fields[column];
    writer.runs(runs);
    writer.write(runs.length === 0 ? '' : ': ');
    if (field === undefined || field.width === 0) writer.write(NO_CELL);
    else writer.runs(field.runs);
    writer.write('\n');
  });
}
