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
   * @param markdown the next piece of the text; only plain text and code blocks may continue in the following piece
   */
  add(markdown: string): void {
    const lines = (this.#held + markdown).split('\n');
    this.#held = lines.pop() ?? '';
    for (const line of lines) this.#wholeLine(line);
    if (this.#held !== '') this.#grow();
  }

  /** Prints what was held back, because no more text follows. */
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
    this.#writer.verbatim(line, style);
    this.#writer.write(end);
  }

  /**
   * Writes the next part of a line. If the line ends there, removes a backslash at its end, which only marks a line
   * break.
   */
  #rest(text: string, end: string): void {
    if (this.#fence !== undefined) this.#writer.verbatim(text, 'code');
    else
      this.#writer.runs(
        runsOf(end === '' ? text : text.replace(/(?<!\\)((?:\\\\)*)\\$/, '$1'), this.#before ?? ''),
      );
    this.#writer.write(end);
  }

  /** Writes the incomplete line, unless further text decides its kind. */
  #grow(): void {
    if (this.#before === undefined && !this.#mayBegin()) return;
    const shown = this.#held;
    this.#held = '';
    this.#rest(shown, '');
    this.#before = /.$/su.exec(shown)?.[0] ?? this.#before;
  }

  /** True if the beginning of the line is final, so that it can be printed. */
  #mayBegin(): boolean {
    const held = this.#held;
    if (this.#fence === undefined) {
      if (fenceLine.test(held) || (held.length <= MAX_ROW_CHARS && row.test(held))) return false;
      this.#endTable();
      this.#held = this.#begin(held);
    } else if (held === this.#fence) return false;
    this.#before = '';
    return true;
  }

  /** Writes the markers of quotes and lists at the start of a line. Returns the rest of the line. */
  #begin(line: string): string {
    const lead = marks.exec(line)?.[0] ?? '';
    this.#writer.write(lead.replace(/[*+]/g, '-'));
    this.#writer.hangHere();
    return line.slice(lead.length);
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
    else for (const line of lines) this.#rest(this.#begin(line), '\n');
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
