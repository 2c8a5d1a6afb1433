/** Parting an answer over messages: each holds a range of the source, and opens again what the one before had open. */

import type { Dialect } from './dialect.ts';
import { type Emission, ENDED, GROWING, type How, START } from './emission.ts';
import { closing, emit } from './emit.ts';
import { reopening } from './fence.ts';
import { tableAround } from './table-lines.ts';

/** Where a message's text begins, and what is open there. Plain data, without any of the text. */
export interface Begin extends Emission {
  /** Where the table begins that goes on here. */
  readonly table?: number;
}

/** What stands before the text of a message that begins in a fence or a table, in the source's own Markdown. */
export function headOf(source: string, { fence, table }: Begin, dialect: Dialect): string {
  if (fence !== undefined) return reopening(source, fence, dialect);
  if (table === undefined) return '';
  const afterHead = source.indexOf('\n', table) + 1;
  const afterMarks = source.indexOf('\n', afterHead);
  return source.slice(table, afterMarks < 0 ? source.length : afterMarks + 1);
}

/** The head as the channel gets it. */
export function headOut(source: string, begin: Begin, dialect: Dialect): string {
  const head = headOf(source, begin, dialect);
  return begin.fence === undefined && head !== '' ? emit(head, START, ENDED, dialect).out : head;
}

/** How a message begins that goes on where an emission stands. What is left of a heading is no heading. */
export function beginAt(source: string, state: Emission, dialect: Dialect): Begin {
  const { at, fresh, fence, tables } = state;
  const goesOn = fresh && fence === undefined && dialect.table === undefined;
  const table = goesOn ? tableAround(source, at) : undefined;
  return {
    at,
    fresh,
    ...(fence && { fence }),
    ...(tables && { tables }),
    ...(table !== undefined && { table }),
  };
}

export interface Range {
  readonly begin: Begin;
  readonly to: number;
}

/** The whole text of a message that holds a range of the source. */
export function rangeText(source: string, { begin, to }: Range, how: How, dialect: Dialect): string {
  const { out, state } = emit(source.slice(0, to), begin, how, dialect);
  return headOut(source, begin, dialect) + out + closing(state, dialect);
}

/** How good a place is to end a message: 3 between blocks, 2 between lines, 1 between rows or lines of code. */
type Rank = 1 | 2 | 3;

interface Edge {
  readonly state: Emission;
  readonly rank: Rank;
  readonly used: number;
}

export interface Room {
  /** Units that the message may have, in what the channel gets. */
  readonly limit: number;
  /** It may not end before this: so much is shown already. */
  readonly atLeast?: number;
}

/** Room for what closes a fence. */
const CLOSING_CHARS = 64;

/**
 * Where a message ends that cannot hold the rest of the source; nothing where it can. The place is a good one in the
 * second half of the room: after a block, else a line, else a sentence, a word.
 */
export function cutAfter(source: string, begin: Begin, room: Room, dialect: Dialect): Emission | undefined {
  const { limit, atLeast = 0 } = room;
  const most = limit - CLOSING_CHARS;
  let used = headOut(source, begin, dialect).length;
  let state: Emission = begin;
  const edges: Edge[] = [];
  // What a line holds back, the next one gives.
  for (let from = begin.at; from < source.length; ) {
    const end = source.indexOf('\n', from) + 1 || source.length;
    const how = { ended: end === source.length, enough: most - used + 1 };
    const line = emit(source.slice(0, end), state, how, dialect);
    if (used + line.out.length > most)
      return bestOf(edges, atLeast, most) ?? insideLine(source, state, most - used, dialect);
    used += line.out.length;
    state = line.state;
    const rank = state.at === end ? rankOf(source.slice(from, end), state) : undefined;
    if (rank !== undefined) edges.push({ state, used, rank });
    from = end;
  }
  return undefined;
}

/** Nothing where no message may end: a hidden table stands in one message. */
function rankOf(passed: string, { fence, hidden }: Emission): Rank | undefined {
  if (hidden !== undefined) return undefined;
  if (fence !== undefined) return 1;
  if (passed.trim() === '' || /^[ \t>]*(?:`{3,}|~{3,})[ \t]*\r?\n?$/.test(passed)) return 3;
  return passed.includes('|') ? 1 : 2;
}

function bestOf(edges: readonly Edge[], atLeast: number, room: number): Emission | undefined {
  const late = edges.filter(({ state, used }) => state.at >= atLeast && used >= room / 2);
  const rank = Math.max(...late.map((edge) => edge.rank));
  return late.findLast((edge) => edge.rank === rank)?.state;
}

/** A place inside a line that is longer than the room: after a sentence, after a word, else anywhere. */
export function insideLine(source: string, state: Emission, room: number, dialect: Dialect): Emission {
  for (let length = room; length > 0; length = length >> 1) {
    const to = state.at + wordsEnd(source.slice(state.at, state.at + length));
    const { out, state: reached } = emit(source.slice(0, to), state, GROWING, dialect);
    if (out.length <= room && reached.at > state.at) return reached;
  }
  return emit(source, state, { ended: true, enough: 1 }, dialect).state;
}

/** The last good place to end a line before its end: after a sentence in the second half, after a word. */
function wordsEnd(text: string): number {
  const sentence = Math.max(...[...text.matchAll(/[.!?](?=\s)|[。！？]/g)].map(({ index }) => index + 1), 0);
  if (sentence > text.length / 2) return sentence;
  const space = text.search(/\s\S*$/);
  return space > 0 ? space + 1 : text.length;
}

/** The last place between two blocks that no further text can move. */
export function settledEdge(source: string, begin: Begin, dialect: Dialect): Emission | undefined {
  let found: Emission | undefined;
  let state: Emission = begin;
  for (let from = begin.at; ; ) {
    const end = source.indexOf('\n', from) + 1;
    if (end === 0) return found;
    state = emit(source.slice(0, end), state, GROWING, dialect).state;
    if (from > begin.at && state.at === end && rankOf(source.slice(from, end), state) === 3) found = state;
    from = end;
  }
}

/** The ranges of a whole text, one a message. */
export function ranges(source: string, limit: number, from: Begin, dialect: Dialect): readonly Range[] {
  const found: Range[] = [];
  for (let begin = from; ; ) {
    const cut = cutAfter(source, begin, { limit }, dialect);
    if (cut === undefined) return [...found, { begin, to: source.length }];
    found.push({ begin, to: cut.at });
    begin = beginAt(source, cut, dialect);
  }
}
