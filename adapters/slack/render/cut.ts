/** Parting an answer over messages: each holds a range of the source, and opens again what the one before had open. */

import { closing, type Emission, ENDED, emit, GROWING, type How, markdown } from './emit.ts';
import { reopening } from './fence.ts';
import { tableAround } from './table-lines.ts';

/** Where a message's text begins, and what is open there. Plain data, without any of the text. */
export interface Begin extends Emission {
  /** Where the table begins that goes on here. */
  readonly table?: number;
}

/** What stands before the text of a message that begins in a fence or a table, in the source's own Markdown. */
export function headOf(source: string, { fence, table }: Begin): string {
  if (fence !== undefined) return reopening(source, fence);
  if (table === undefined) return '';
  const afterHead = source.indexOf('\n', table) + 1;
  const afterMarks = source.indexOf('\n', afterHead);
  return source.slice(table, afterMarks < 0 ? source.length : afterMarks + 1);
}

/** The head as Slack gets it. */
export function headOut(source: string, begin: Begin): string {
  const head = headOf(source, begin);
  return begin.fence === undefined && head !== '' ? markdown(head) : head;
}

/** How a message begins that goes on where an emission stands. */
export function beginAt(source: string, state: Emission): Begin {
  const { at, fresh, fence } = state;
  const table = fresh && fence === undefined ? tableAround(source, at) : undefined;
  return { at, fresh, ...(fence && { fence }), ...(table !== undefined && { table }) };
}

/** The whole text of a message that holds the source from `begin` to `to`. */
export function rangeText(source: string, begin: Begin, to: number, how: How = ENDED): string {
  const { out, state } = emit(source.slice(0, to), begin, how);
  return headOut(source, begin) + out + closing(state);
}

/** How good a place is to end a message: 3 between blocks, 2 between lines, 1 between rows or lines of code. */
type Rank = 1 | 2 | 3;

interface Edge {
  readonly state: Emission;
  readonly rank: Rank;
  readonly used: number;
}

export interface Room {
  /** Units that the message may have, in what Slack gets. */
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
export function cutAfter(source: string, begin: Begin, { limit, atLeast = 0 }: Room): Emission | undefined {
  const room = limit - CLOSING_CHARS;
  let used = headOut(source, begin).length;
  let state: Emission = begin;
  const edges: Edge[] = [];
  while (state.at < source.length) {
    const end = source.indexOf('\n', state.at) + 1 || source.length;
    const line = emit(source.slice(0, end), state, { ended: end === source.length, enough: room - used + 1 });
    if (used + line.out.length > room)
      return bestOf(edges, atLeast, room) ?? insideLine(source, state, room - used);
    used += line.out.length;
    const passed = source.slice(state.at, end);
    state = line.state;
    edges.push({ state, used, rank: rankOf(passed, state) });
  }
  return undefined;
}

function rankOf(passed: string, { fence }: Emission): Rank {
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
export function insideLine(source: string, state: Emission, room: number): Emission {
  for (let length = room; length > 0; length = length >> 1) {
    const to = state.at + wordsEnd(source.slice(state.at, state.at + length));
    const { out, state: reached } = emit(source.slice(0, to), state, GROWING);
    if (out.length <= room && reached.at > state.at) return reached;
  }
  return emit(source, state, { ended: true, enough: 1 }).state;
}

/** The last good place to end a line before its end: after a sentence in the second half, after a word. */
function wordsEnd(text: string): number {
  const sentence = Math.max(...[...text.matchAll(/[.!?](?=\s)|[。！？]/g)].map(({ index }) => index + 1), 0);
  if (sentence > text.length / 2) return sentence;
  const space = text.search(/\s\S*$/);
  return space > 0 ? space + 1 : text.length;
}

/** The last place between two blocks that no further text can move. */
export function settledEdge(source: string, begin: Begin): Emission | undefined {
  let found: Emission | undefined;
  for (let state: Emission = begin; ; ) {
    const end = source.indexOf('\n', state.at) + 1;
    if (end === 0) return found;
    const from = state.at;
    state = emit(source.slice(0, end), state, GROWING).state;
    if (state.at < end) return found;
    if (from > begin.at && rankOf(source.slice(from, end), state) === 3) found = state;
  }
}

export interface Range {
  readonly begin: Begin;
  readonly to: number;
}

/** The ranges of a whole text, one a message. */
export function ranges(
  source: string,
  limit: number,
  from: Begin = { at: 0, fresh: true },
): readonly Range[] {
  const found: Range[] = [];
  for (let begin = from; ; ) {
    const cut = cutAfter(source, begin, { limit });
    if (cut === undefined) return [...found, { begin, to: source.length }];
    found.push({ begin, to: cut.at });
    begin = beginAt(source, cut);
  }
}
