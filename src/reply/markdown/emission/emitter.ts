/** Writing a source in one channel's Markdown: grown, whole, and parted over messages. */

import {
  type Begin,
  beginAt,
  cutAfter,
  headEmitted,
  headOf,
  headOut,
  insideLine,
  type Range,
  type Room,
  ranges,
  rangeText,
  settledEdge,
  tablesBefore,
} from './cut.ts';
import type { Dialect } from './dialect.ts';
import { type Emitted, ENDED, type How, START, type StreamState } from './emission.ts';
import { closing, emit, type HiddenTable, hiddenTables } from './emit.ts';

/** Each function is documented at its definition. */
export interface Emitter {
  /** Maximum size that one character of the source takes in a message. */
  readonly growth: number;
  emit(source: string, from: StreamState, how: How): Emitted;
  closing(state: StreamState): string;
  /** A whole text, closed. */
  markdown(source: string, from?: StreamState, how?: How): string;
  hiddenTables(source: string, from: StreamState): readonly HiddenTable[];
  headOf(source: string, begin: Begin): string;
  headOut(source: string, begin: Begin): string;
  head(source: string, begin: Begin): Omit<Emitted, 'state'>;
  beginAt(source: string, state: StreamState): Begin;
  tablesBefore(begin: Begin): Pick<StreamState, 'tables'>;
  rangeText(source: string, begin: Begin, to: number, how?: How): string;
  cutAfter(source: string, begin: Begin, room: Room): StreamState | undefined;
  insideLine(source: string, state: StreamState, room: number): StreamState;
  settledEdge(source: string, begin: Begin): StreamState | undefined;
  ranges(source: string, limit: number, from?: Begin): readonly Range[];
}

/** An angle bracket becomes an entity. */
const GROWTH = 5;
/** A table's bar becomes a cell. */
const GROWTH_OF_TABLES = 70;

export function createEmitter(dialect: Dialect): Emitter {
  return {
    growth: dialect.tables === undefined ? GROWTH : GROWTH_OF_TABLES,
    emit: (source, from, how) => emit(source, from, how, dialect),
    closing: (state) => closing(state, dialect),
    markdown(source, from = START, how = ENDED) {
      const { out, state } = emit(source, from, how, dialect);
      return out + closing(state, dialect);
    },
    hiddenTables: (source, from) => hiddenTables(source, from, dialect),
    headOf: (source, begin) => headOf(source, begin, dialect),
    headOut: (source, begin) => headOut(source, begin, dialect),
    head: (source, begin) => headEmitted(source, begin, dialect),
    beginAt: (source, state) => beginAt(source, state, dialect),
    tablesBefore,
    rangeText: (source, begin, to, how = ENDED) => rangeText(source, { begin, to }, how, dialect),
    cutAfter: (source, begin, room) => cutAfter(source, begin, room, dialect),
    insideLine: (source, state, room) => insideLine(source, state, room, dialect),
    settledEdge: (source, begin) => settledEdge(source, begin, dialect),
    ranges: (source, limit, from = START) => ranges(source, limit, from, dialect),
  };
}
