/**
 * Recognizes tables that the channel shows outside the text. A short reference in the text stands for each table, and
 * the table's lines write nothing.
 */

import { parse } from '../parse.ts';
import { isWholeLine, type Window } from '../scan.ts';
import {
  type EmitContext,
  type Hidden,
  type HiddenTables,
  type Step,
  type StreamState,
  text,
} from './emission.ts';
import { lineEndAt } from './prose.ts';
import { delimiter } from './table-lines.ts';

const lineEnd = /[\n\r]/g;
const lead = /^[ \t>]*/;
const halfDelimiter = /^[ \t>]*[|:\- \t]*$/;
/** Matches lines that contain bars but begin another kind of block. */
const otherBlock = /^(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3})/;

/** Returns a line without its quote marks. */
export const unquoted = (line: string): string => line.replace(lead, '');

/**
 * Reads a table that begins at the start of a line: at its head, or at the row of dashes if its head was already
 * written as text.
 */
export function hiddenTable(
  source: string,
  state: StreamState,
  context: EmitContext,
): Step | 'held' | 'none' {
  if (context.dialect.tables === undefined) return 'none';
  const window = context.lookAhead.window(state.at);
  const line = source.slice(state.at, window.end);
  const rest = unquoted(line);
  if (rest === '') return window.closed ? 'none' : 'held';
  if (rest.startsWith('|')) {
    const head = fromHead(source, window, state, context);
    if (head !== 'none') return head;
  }
  return fromDashes(source, window, state, context);
}

function fromHead(
  source: string,
  window: Window,
  state: StreamState,
  context: EmitContext,
): Step | 'held' | 'none' {
  if (!isWholeLine(window)) return window.closed ? 'none' : 'held';
  const next = lineEndAt(source, window.end, context.ended);
  if (next === 'held') return 'held';
  if (next === undefined) return 'none';
  const below = context.lookAhead.window(next);
  const dashes = source.slice(next, below.end);
  if (!halfDelimiter.test(dashes)) return 'none';
  if (!below.closed) return 'held';
  if (!isWholeLine(below)) return 'none';
  const head = source.slice(state.at, window.end);
  return isTable(head, dashes)
    ? begin(state, { from: state.at, to: below.end, head, context, source })
    : 'none';
}

/**
 * Reads a table from its row of dashes. The head was already written as text, because the head does not begin with a
 * bar.
 */
function fromDashes(
  source: string,
  window: Window,
  state: StreamState,
  context: EmitContext,
): Step | 'held' | 'none' {
  const dashes = source.slice(state.at, window.end);
  if (!halfDelimiter.test(dashes)) return 'none';
  const above = lineBefore(source, state.at);
  if (above === undefined || !above.text.includes('|')) return 'none';
  if (!window.closed) return 'held';
  if (!isWholeLine(window) || !dashes.includes('|') || !isTable(above.text, dashes)) return 'none';
  const head = dashes;
  return begin(state, { from: above.from, to: window.end, head, context, source });
}

/** Maximum length of a table's head, in UTF-16 units. */
const MAX_HEAD_CHARS = 1_024;

function lineBefore(
  source: string,
  at: number,
): { readonly from: number; readonly text: string } | undefined {
  const start = Math.max(0, at - MAX_HEAD_CHARS);
  const above = source.slice(start, at).replace(/\r\n?$|\n$/, '');
  const end = Math.max(above.lastIndexOf('\n'), above.lastIndexOf('\r')) + 1;
  return end === 0 && start > 0 ? undefined : { from: start + end, text: above.slice(end) };
}

function isTable(head: string, dashes: string): boolean {
  if (!delimiter.test(unquoted(dashes))) return false;
  return parse(`${unquoted(head)}\n${unquoted(dashes)}`)[0]?.kind === 'table';
}

const NONE: HiddenTables = { mark: () => '', units: () => 0 };

interface Beginning {
  readonly from: number;
  readonly to: number;
  /** The table's first line. The reference to the table is written in its place. */
  readonly head: string;
  readonly context: EmitContext;
  readonly source: string;
}

function begin(state: StreamState, { from, to, head, context, source }: Beginning): Step {
  const number = (state.tables ?? 0) + 1;
  const before = lead.exec(head)?.[0] ?? '';
  const above = lineBefore(source, state.at)?.text ?? '';
  const apart = unquoted(above) === '' ? '' : `${before}\n`;
  const { mark, units } = context.dialect.tables ?? NONE;
  const out = `${apart}${before}${mark(number)}`;
  const lines = source.slice(from, to);
  return { to, out, units: out.length + units(lines), fresh: false, hidden: { from, number } };
}

/** Returns a key for the quotes and lists around a line. */
function placeOf(line: string): string {
  const marks = lead.exec(line)?.[0] ?? '';
  const indent = /[ \t]*$/.exec(marks)?.[0] ?? '';
  return marks.replace(/[ \t]/g, '') + (/\t| {2}/.test(indent) ? ' ' : '');
}

/** Skips the lines of a table, up to the first line that is not one of its rows. */
export function inHiddenTable(
  source: string,
  { at, fresh, hidden }: StreamState & { readonly hidden: Hidden },
  { ended, lookAhead, dialect }: EmitContext,
): Step | undefined {
  if (!fresh) return restOfRow(source, at, hidden, ended);
  const { end, closed } = lookAhead.window(at);
  // A row that has not arrived completely is held back, so that no message ends inside a row.
  if (!closed) return undefined;
  const line = source.slice(at, end);
  if (!isRowOf(source, hidden, line)) return { to: at, out: '\n\n', fresh: true };
  return { ...text(end, ''), units: (dialect.tables ?? NONE).units(line), hidden };
}

function isRowOf(source: string, { from }: Hidden, line: string): boolean {
  const row = unquoted(line);
  const isRow = row.includes('|') && !otherBlock.test(row);
  return isRow && placeOf(line) === placeOf(source.slice(from, from + MAX_HEAD_CHARS));
}

/** True if the line at this position continues the table. */
export function goesOn(source: string, { at, fresh, hidden }: StreamState): boolean {
  if (hidden === undefined || !fresh) return hidden !== undefined;
  return isRowOf(source, hidden, /^[^\r\n]*/.exec(source.slice(at, at + MAX_HEAD_CHARS))?.[0] ?? '');
}

function restOfRow(source: string, at: number, hidden: Hidden, ended: boolean): Step | undefined {
  const end = lineEndAt(source, at, ended);
  if (end === 'held') return undefined;
  if (end !== undefined) return { to: end, out: '', fresh: true, hidden };
  lineEnd.lastIndex = at;
  const to = lineEnd.exec(source)?.index ?? source.length;
  return { ...text(to, ''), units: to - at, hidden };
}
