/**
 * Writes a text in one channel's Markdown: while it grows, whole, or split into messages. Each message shows a range
 * of the source and opens again the constructs that the previous message left open.
 */

import { type Dialect, type Emitted, ENDED, GROWING, type How, START, type StreamState } from './emission.ts';
import { closing, emit, hiddenTables } from './emit.ts';
import { cutBefore } from './escape.ts';
import { goesOn } from './hidden-table.ts';
import { reopening } from './line-start.ts';
import { tableAround } from './table-lines.ts';

/**
 * Maximum factor by which writing one character can enlarge it: an angle bracket becomes an entity, a table's bar
 * becomes a cell.
 */
const GROWTH = 5;
const GROWTH_OF_TABLES = 70;

export type Emitter = ReturnType<typeof createEmitter>;

/** Returns the functions of this file for one dialect. They do not use `this`. */
export function createEmitter(dialect: Dialect) {
  return {
    /** Maximum size that one character of the Markdown source can have in a message. */
    growth: dialect.tables === undefined ? GROWTH : GROWTH_OF_TABLES,
    emit: (source: string, from: StreamState, how: How) => emit(source, from, how, dialect),
    closing: (state: StreamState) => closing(state, dialect),
    /** Returns a whole text with its open constructs closed. */
    markdown(source: string, from = START, how = ENDED): string {
      const { out, state } = emit(source, from, how, dialect);
      return out + closing(state, dialect);
    },
    hiddenTables: (source: string, from: StreamState) => hiddenTables(source, from, dialect),
    headOf: (source: string, begin: Begin) => headOf(source, begin, dialect),
    head: (source: string, begin: Begin) => head(source, begin, dialect),
    /**
     * Returns the start of a message in the channel's Markdown. It opens again the constructs that the previous
     * message left open.
     */
    headOut: (source: string, begin: Begin) => head(source, begin, dialect).out,
    beginAt: (source: string, state: StreamState) => beginAt(source, state, dialect),
    tablesBefore,
    /** Returns the whole text of a message that shows the source from `begin` to `to`. */
    rangeText(source: string, begin: Begin, to: number, how = ENDED): string {
      const { out, state } = emit(source.slice(0, to), begin, how, dialect);
      return head(source, begin, dialect).out + out + closing(state, dialect);
    },
    cutAfter: (source: string, begin: Begin, room: Room) => cutAfter(source, begin, room, dialect),
    wordAfter: (source: string, state: StreamState, atLeast: number) =>
      wordAfter(source, state, atLeast, dialect),
    rowAt,
    insideLine: (source: string, state: StreamState, room: number) =>
      insideLine(source, state, room, dialect),
    settledEdge: (source: string, begin: Begin) => settledEdge(source, begin, dialect),
    /** Returns the ranges into which a whole text is split, one per message. */
    ranges(source: string, limit: number, from: Begin = START): readonly Range[] {
      const found: Range[] = [];
      for (let begin = from; ; ) {
        const cut = cutAfter(source, begin, { limit }, dialect);
        if (cut === undefined) return [...found, { begin, to: source.length }];
        found.push({ begin, to: cut.at });
        begin = beginAt(source, cut, dialect);
      }
    },
  };
}

/** Position at which a message's text begins, and the constructs that are open there. Plain data; contains no text. */
export interface Begin extends StreamState {
  /** Offset of the table that continues in this message. */
  readonly table?: number;
}

/**
 * Returns the Markdown with which a message must begin if it continues a code fence or a table: the fence's opening
 * line, or the table's head.
 */
function headOf(source: string, { fence, table }: Begin, dialect: Dialect): string {
  if (fence !== undefined) return reopening(source, fence, dialect);
  if (table === undefined) return '';
  twoLines.lastIndex = table;
  return twoLines.exec(source)?.[0] ?? '';
}

const twoLines = /(?:[^\r\n]*(?:\r\n?|\n|$)){2}/y;

/** Returns what a message starts with in the channel's Markdown, and how much capacity it uses. */
function head(source: string, begin: Begin, dialect: Dialect): Omit<Emitted, 'state'> {
  const from = { ...START, ...tablesBefore(begin) };
  return emit(headOf(source, begin, dialect), from, ENDED, dialect);
}

/** Returns the number of tables that end before the message. A table that continues in the message is not counted. */
function tablesBefore({ hidden, tables }: Begin): Pick<StreamState, 'tables'> {
  const before = hidden === undefined ? tables : hidden.number - 1;
  return before ? { tables: before } : {};
}

/**
 * Returns the beginning of a message that continues the text at this position. If a heading was split, the remaining
 * heading is plain text.
 */
function beginAt(source: string, state: StreamState, dialect: Dialect): Begin {
  const { at, fresh, fence, tables, skips } = state;
  const hidden = goesOn(source, state) ? state.hidden : undefined;
  const hidesTable = fresh && fence === undefined && dialect.tables === undefined;
  const table = hidesTable ? tableAround(source, at) : hidden?.from;
  return {
    at,
    fresh,
    ...(fence && { fence }),
    ...(hidden && { hidden }),
    ...(skips && { skips }),
    ...(tables && { tables }),
    ...(table !== undefined && { table }),
  };
}

export interface Range {
  readonly begin: Begin;
  readonly to: number;
}

/**
 * How well a message can end at an offset: 3 between blocks, 2 between lines, 1 between rows of a table or lines of
 * code.
 */
type Rank = 1 | 2 | 3;

interface Edge {
  readonly state: StreamState;
  readonly rank: Rank;
  readonly load: Load;
}

export const EMPTY: Load = { size: 0, units: 0 };

export interface Room {
  /** Maximum size of the message's text, in the dialect's units. */
  readonly limit: number;
  /** Offset up to which the text is already shown; the message must not end before it. */
  readonly atLeast?: number;
}

/** Characters that are reserved for the end of a word, or for the marks that close a fence. */
export const CLOSING_CHARS = 64;
/**
 * Maximum size of a message's text together with content that is shown elsewhere, as a multiple of the message's limit.
 */
const WITH_HIDDEN = 2;

/**
 * How full a message is, in the dialect's units: `size` counts its text, `units` also content that is shown
 * elsewhere.
 */
export interface Load {
  readonly size: number;
  readonly units: number;
}

export const loadWith = (load: Load, { size, units }: Pick<Emitted, 'size' | 'units'>): Load => ({
  size: load.size + size,
  units: load.units + units,
});

export const isOver = ({ size, units }: Load, limit: number): boolean =>
  size > limit || units > WITH_HIDDEN * limit;

/** Returns options that stop the writing as soon as the message exceeds its limit. */
export const untilOver = ({ size, units }: Load, limit: number): Pick<How, 'enough' | 'room'> => ({
  enough: limit - size + 1,
  room: WITH_HIDDEN * limit - units + 1,
});

/**
 * Returns where a message must end; undefined if the message can hold all remaining source. Searches the second half
 * of the message's capacity for the best end: after a block, or else after a line, a sentence or a word.
 */
function cutAfter(
  source: string,
  begin: Begin,
  { limit, atLeast = 0 }: Room,
  dialect: Dialect,
): StreamState | undefined {
  const most = limit - CLOSING_CHARS;
  let load = loadWith(EMPTY, head(source, begin, dialect));
  let state: StreamState = begin;
  const edges: Edge[] = [];
  // Text that is held back at the end of this line is written together with the next line.
  for (let from = begin.at; from < source.length; ) {
    const end = source.indexOf('\n', from) + 1 || source.length;
    const how = { ended: end === source.length, ...untilOver(load, most) };
    const line = emit(source.slice(0, end), state, how, dialect);
    const more = loadWith(load, line);
    if (isOver(more, most)) {
      // A construct that fits only into the next message, such as a link, goes there as a whole.
      const mayEndHere = state.at > begin.at && state.at >= atLeast && state.hidden === undefined;
      return (
        bestOf(edges, atLeast, most) ??
        fittingInLine(source, state, most - load.size, dialect) ??
        (mayEndHere ? state : afterConstruct(source, state, dialect))
      );
    }
    load = more;
    const begins = state.hidden === undefined && line.state.hidden !== undefined;
    state = line.state;
    // A message must not end between a table's head and its rows.
    const rank = state.at === end && !begins ? rankOf(source.slice(from, end), state) : undefined;
    if (rank !== undefined) edges.push({ state, load, rank });
    from = end;
  }
  return undefined;
}

function rankOf(passed: string, { fence }: StreamState): Rank {
  if (fence !== undefined) return 1;
  if (passed.trim() === '' || /^[ \t>]*(?:`{3,}|~{3,})[ \t]*\r?\n?$/.test(passed)) return 3;
  return passed.includes('|') ? 1 : 2;
}

function bestOf(edges: readonly Edge[], atLeast: number, room: number): StreamState | undefined {
  const late = edges.filter(({ state, load }) => state.at >= atLeast && isOver(load, room / 2));
  const rank = Math.max(...late.map((edge) => edge.rank));
  return late.findLast((edge) => edge.rank === rank)?.state;
}

/**
 * Returns where to end a message inside a line that does not fit: after a sentence, or else after a word, or else
 * anywhere.
 */
function insideLine(source: string, state: StreamState, room: number, dialect: Dialect): StreamState {
  return fittingInLine(source, state, room, dialect) ?? afterConstruct(source, state, dialect);
}

function fittingInLine(
  source: string,
  state: StreamState,
  room: number,
  dialect: Dialect,
): StreamState | undefined {
  if (state.hidden !== undefined) return undefined;
  for (let length = room; length > 0; length = length >> 1) {
    const to = wordsEnd(source, state.at, state.at + length);
    const { size, state: reached } = emit(source.slice(0, to), state, GROWING, dialect);
    if (size <= room && reached.at > state.at) return reached;
  }
  return undefined;
}

/** Returns the end of the construct at the position, which is larger than the room that is left. */
function afterConstruct(source: string, state: StreamState, dialect: Dialect): StreamState {
  if (state.hidden === undefined) return emit(source, state, { ended: true, enough: 1 }, dialect).state;
  // A row of a table is never split.
  const end = source.indexOf('\n', state.at) + 1 || source.length;
  return emit(source.slice(0, end), state, ENDED, dialect).state;
}

/**
 * Returns where to end a message that is almost full, after the word at `atLeast` if its end is known.
 * @param state the last position up to `atLeast` at which no construct is undecided
 */
function wordAfter(source: string, state: StreamState, atLeast: number, dialect: Dialect): StreamState {
  for (const { index } of source.slice(atLeast - 1, atLeast + CLOSING_CHARS).matchAll(/\s/g)) {
    const { size, state: reached } = emit(source.slice(0, atLeast + index), state, GROWING, dialect);
    if (reached.at >= atLeast && size <= CLOSING_CHARS + atLeast - state.at) return reached;
  }
  return state;
}

/** Returns where the row of a table begins that contains this position; undefined outside tables. */
function rowAt(source: string, { at, fence, hidden }: StreamState): number | undefined {
  const from = source.lastIndexOf('\n', at - 1) + 1;
  const isRow = hidden !== undefined || (fence === undefined && tableAround(source, from) !== undefined);
  return isRow ? from : undefined;
}

/**
 * Returns the best offset up to `end` at which to split a line: after a sentence in its second half, or else after a
 * word.
 */
function wordsEnd(source: string, from: number, end: number): number {
  const text = source.slice(from, end);
  const sentence = Math.max(...[...text.matchAll(/[.!?](?=\s)|[。！？]/g)].map(({ index }) => index + 1), 0);
  if (sentence > text.length / 2) return from + sentence;
  const space = text.search(/\s\S*$/);
  if (space > 0) return from + space + 1;
  const cut = cutBefore(source, end);
  return cut > from ? cut : Math.min(end, source.length);
}

/** Returns the last block end that further text cannot move. */
function settledEdge(source: string, begin: Begin, dialect: Dialect): StreamState | undefined {
  let found: StreamState | undefined;
  let state: StreamState = begin;
  for (let from = begin.at; ; ) {
    const end = source.indexOf('\n', from) + 1;
    if (end === 0) return found;
    state = emit(source.slice(0, end), state, GROWING, dialect).state;
    if (from > begin.at && state.at === end && rankOf(source.slice(from, end), state) === 3) found = state;
    from = end;
  }
}
