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
 * written as text, because it does not begin with a bar.
 */
export function hiddenTable(
  source: string,
  state: StreamState,
  { dialect: { tables }, lookAhead, ended }: EmitContext,
): Step | 'held' | 'none' {
  if (tables === undefined) return 'none';
  const { at } = state;
  const window = lookAhead.window(at);
  const first = source.slice(at, window.end);
  const rest = unquoted(first);
  if (rest === '') return window.closed ? 'none' : 'held';
  if (rest.startsWith('|')) {
    if (!window.closed) return 'held';
    const next = isWholeLine(window) ? lineEndAt(source, window.end, ended) : undefined;
    if (next === 'held') return next;
    const to = next === undefined ? 'none' : dashesEnd(lookAhead.window(next), next, first);
    if (to !== 'none') return to === 'held' ? to : begin(source, state, { from: at, to, first }, tables);
  }
  const above = lineBefore(source, at);
  if (!above?.text.includes('|') || (window.closed && !first.includes('|'))) return 'none';
  const to = dashesEnd(window, at, above.text);
  return typeof to === 'string' ? to : begin(source, state, { from: above.from, to, first }, tables);
}

/** Returns the end of the row of dashes at `from`; `none` if it does not make the line above a table's head. */
function dashesEnd(window: Window, from: number, head: string): number | 'held' | 'none' {
  const dashes = window.source.slice(from, window.end);
  if (!halfDelimiter.test(dashes)) return 'none';
  if (!window.closed) return 'held';
  return isWholeLine(window) && isTable(head, dashes) ? window.end : 'none';
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

/** @param place the table's first lines; the reference to the table is written in place of `first` */
function begin(
  source: string,
  state: StreamState,
  place: { readonly from: number; readonly to: number; readonly first: string },
  { mark, units }: HiddenTables,
): Step {
  const { from, to, first } = place;
  const number = (state.tables ?? 0) + 1;
  const before = lead.exec(first)?.[0] ?? '';
  const above = lineBefore(source, state.at)?.text ?? '';
  const apart = unquoted(above) === '' ? '' : `${before}\n`;
  const out = `${apart}${before}${mark(number)}`;
  const more = units(source.slice(from, to));
  return { to, out, units: out.length + more, fresh: false, hidden: { from, number } };
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
  return { ...text(end, ''), units: dialect.tables?.units(line) ?? 0, hidden };
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
