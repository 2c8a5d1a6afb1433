/**
 * Writes the answer's Markdown for a stream to which text can only be appended. If `T(p)` is the output for a text
 * `p`, `T(p)` is a prefix of `T(p + s)` for all texts `p` and `s`. Only the opener of a construct that is not decided
 * yet is held back. The construct is decided at the end of the line, after 1,024 characters (8,192 for an address), or
 * at the end of the text. Whole messages use the same code, so that escaping exists only once.
 */

import { closesFence, type Fence, fenceOut } from '../fences.ts';
import { LookAhead } from '../look-ahead.ts';
import {
  type Dialect,
  type EmitContext,
  type Emitted,
  ENDED,
  type Hidden,
  type How,
  type Step,
  type StreamState,
  text,
} from './emission.ts';
import { carried } from './escape.ts';
import { hiddenTable, inHiddenTable } from './hidden-table.ts';
import { inFormula, inHeading, lineStart } from './line-start.ts';
import { character, inAddress, inProse, lineEndAt, stretch } from './prose.ts';

/** Writes the text from a position on. */
export function emit(source: string, from: StreamState, how: How, dialect: Dialect): Emitted {
  const { enough = Number.POSITIVE_INFINITY, room = Number.POSITIVE_INFINITY } = how;
  const context: EmitContext = { ...how, dialect, lookAhead: new LookAhead(source, how.ended) };
  let state = from;
  let out = '';
  let size = 0;
  let units = 0;
  while (state.at < source.length && size < enough && units < room) {
    const step = next(source, state, context);
    if (step === undefined) break;
    out += step.out;
    size += sizeOf(step.out, dialect);
    units += step.units ?? step.out.length;
    state = after(state, step);
  }
  return { out, size, units, state };
}

/** Returns the size of a text in the dialect's units. */
const sizeOf = (text: string, { size }: Dialect): number => size?.(text) ?? text.length;

function after(
  { hidden: before, tables }: StreamState,
  { to, fresh, fence, heading, hidden, skips, formula }: Step,
): StreamState {
  const count = hidden !== undefined && before === undefined ? hidden.number : tables;
  return {
    at: to,
    fresh,
    ...(fence && { fence }),
    ...(heading && { heading }),
    ...(hidden && { hidden }),
    ...(skips && { skips }),
    ...(formula !== undefined && { formula }),
    ...(count && { tables: count }),
  };
}

export interface HiddenTable extends Hidden {
  /** Offset at which the table's last row ends. */
  readonly to: number;
}

/** Returns the tables in a complete text that the channel shows outside the text. */
export function hiddenTables(source: string, from: StreamState, dialect: Dialect): readonly HiddenTable[] {
  if (dialect.tables === undefined || !source.includes('|')) return [];
  const context: EmitContext = { ...ENDED, dialect, lookAhead: new LookAhead(source, true) };
  const found: HiddenTable[] = [];
  for (let state = from; state.at < source.length; ) {
    const step = next(source, state, context);
    if (step === undefined) return found;
    const onward = after(state, step);
    const hidden = state.hidden ?? onward.hidden;
    const left = onward.hidden === undefined;
    if (hidden !== undefined && (left || onward.at === source.length))
      found.push({ ...hidden, to: left ? state.at : onward.at });
    state = onward;
  }
  return found;
}

/**
 * Returns what closes the open construct: a code fence on a line of its own, or the end of a heading. Empty if
 * neither is open.
 */
export function closing({ fence, fresh, heading }: StreamState, { heading: around = '' }: Dialect): string {
  if (fence !== undefined) return `${fresh ? '' : '\n'}${fenceOut(fence)}`;
  return heading ? around : '';
}

function next(source: string, state: StreamState, context: EmitContext): Step | undefined {
  const { at, fence, hidden, fresh, skips, formula } = state;
  if (skips) return { ...inAddress(source, at), ...(state.heading && { heading: true }) };
  if (fence !== undefined) return inFence(source, { ...state, fence }, context);
  if (formula !== undefined) return inFormula(source, { at, fresh, formula }, context);
  if (hidden !== undefined) return inHiddenTable(source, { ...state, hidden }, context);
  if (fresh) return atLineStart(source, state, context);
  return state.heading ? inHeading(source, at, context) : inProse(source, at, context);
}

function inFence(
  source: string,
  { at, fence, fresh }: StreamState & { readonly fence: Fence },
  context: EmitContext,
): Step | undefined {
  if (!fresh) return codeText(source, at, fence, context);
  const line = closesFence(context.lookAhead.window(at), at, fence);
  if (line.kind === 'held') return undefined;
  if (line.kind === 'closed') return text(line.to, fenceOut(fence));
  if (line.kind === 'left') return { to: at, out: `${fenceOut(fence)}\n`, fresh: true };
  return { ...text(line.to, line.indent + context.dialect.code(carried(line.code))), fence };
}

const codeEnd = /[\n\r\ud800-\udfff]/g;
/**
 * Matches text at the end of code that may be the beginning of a mention tag, such as `<a` of `<at>`. This text is held
 * back until more text arrives, because `Dialect.code` recognizes a mention tag only if one call contains `<at` whole.
 */
const halfMention = /<\/?a?$/;

function codeText(
  source: string,
  at: number,
  fence: Fence,
  { ended, dialect }: EmitContext,
): Step | undefined {
  const end = lineEndAt(source, at, ended);
  if (end === 'held') return undefined;
  if (end !== undefined) return { to: end, out: '\n', fresh: true, fence };
  const stop = stretch(source, at, codeEnd);
  const open =
    !ended && stop === source.length ? halfMention.exec(source.slice(Math.max(at, stop - 3))) : null;
  const to = stop - (open?.[0].length ?? 0);
  if (to > at) return { ...text(to, dialect.code(carried(source.slice(at, to)))), fence };
  if (open !== null) return undefined;
  const half = character(source, at, ended);
  return half && { ...half, fence };
}

function atLineStart(source: string, state: StreamState, context: EmitContext): Step | undefined {
  const { at } = state;
  const table = hiddenTable(source, state, context);
  if (table !== 'none') return table === 'held' ? undefined : table;
  const start = lineStart(context.lookAhead.window(at), at, context.dialect);
  if (start === 'held') return undefined;
  const step = text(start.to, start.out);
  if (start.kind === 'fence') return { ...step, fence: start.fence };
  if (start.kind === 'formula') return { ...step, formula: start.mark };
  return start.kind === 'heading' ? { ...step, heading: true } : step;
}
