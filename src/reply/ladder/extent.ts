/** Finds the offset at which a message of a growing answer is full. The total cost is linear in the answer's length. */

import { keepBound } from '../../core/bound.ts';
import type { ReplyDocument } from '../../core/reply.ts';
import { GROWING, type StreamState } from '../markdown/emission/emission.ts';
import {
  type Begin,
  CLOSING_CHARS,
  EMPTY,
  type Emitter,
  isOver,
  type Load,
  loadWith,
  untilOver,
} from '../markdown/emission/emitter.ts';
import type { LadderPart } from './surface.ts';

/** A message that may be full; a message that is not open yet shows no text. */
type Message = Pick<LadderPart, 'begin' | 'emitted' | 'shown'>;

export interface Cut {
  readonly to: number;
  readonly onward: Begin;
}

/** The part of one growing message that was measured so far. */
interface Measure {
  readonly rewrites: number;
  readonly limit: number;
  length: number;
  state: StreamState;
  load: Load;
  /** Where the message ends; set once it is full. */
  cut: Cut | undefined;
}

/**
 * Maximum number of cached measurements. A reply needs two measurements: one for its last message and one for the
 * message that may follow.
 */
const MEASURES = 4;

/**
 * Finds where messages end, and caches how far each message was measured. The cache saves time and changes no result.
 */
export class Extent {
  readonly #emitter: Emitter;
  /** Measurements by the offset at which the message begins. */
  readonly #measures = new Map<number, Measure>();

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  /**
   * Returns where the message must end; undefined while its text fits. The message never ends before text that it
   * shows, because that text would disappear if the channel accepted no further message. Exceptions are a row of a
   * table and a construct whose end is not known yet: they go into the next message as a whole.
   */
  cut(document: ReplyDocument, message: Message, limit: number): Cut | undefined {
    const { text } = document;
    const { begin, emitted, shown } = message;
    if (this.#emitter.growth * (text.length - begin.at) < limit) return undefined;
    const measure = this.#measureOf(document, begin, limit);
    if (this.#fits(text, measure)) return undefined;
    // A cut that was found stays valid when more text arrives, so look for one only if there is none, or if the message
    // shows more text now.
    const least = emitted?.state.at ?? shown?.length ?? begin.at;
    if (measure.cut === undefined || measure.cut.to < least) {
      const state = this.#endOf(document, message, limit);
      measure.cut = state && { to: state.at, onward: this.#emitter.beginAt(text, state) };
    }
    return measure.cut;
  }

  /** True if at least part of the text after `from` can be shown now. */
  hasMore(text: string, from: StreamState, ended: boolean): boolean {
    return from.at < text.length && this.#emitter.emit(text, from, { ended, enough: 1 }).out !== '';
  }

  #endOf(document: ReplyDocument, message: Message, limit: number): StreamState | undefined {
    const { text } = document;
    const { begin, emitted } = message;
    const edited = emitted ? undefined : this.#editedTo(document, message);
    const state = emitted?.state ?? edited?.state ?? begin;
    const atLeast = edited?.atLeast ?? state.at;
    const found = this.#emitter.cutAfter(text, begin, { limit, atLeast });
    if (found === undefined || found.at >= atLeast) return found;
    return this.#emitter.wordAfter(text, state, atLeast);
  }

  /** Returns what an edited message shows; undefined if a rewrite changed it. */
  #editedTo({ text, rewrites }: ReplyDocument, { begin, shown }: Message) {
    if (shown === undefined || shown.rewrites !== rewrites) return undefined;
    const { emit, rowAt } = this.#emitter;
    const { state } = emit(text.slice(0, shown.length), begin, GROWING);
    const row = rowAt(text, state);
    if (row === undefined) return { state, atLeast: shown.length };
    return { state: emit(text.slice(0, row), begin, GROWING).state, atLeast: row };
  }

  #fits(text: string, measure: Measure): boolean {
    const limit = measure.limit - CLOSING_CHARS;
    if (!isOver(measure.load, limit)) {
      const how = { ...GROWING, ...untilOver(measure.load, limit) };
      const more = this.#emitter.emit(text, measure.state, how);
      measure.load = loadWith(measure.load, more);
      measure.state = more.state;
    }
    measure.length = text.length;
    const held = this.#emitter.growth * (text.length - measure.state.at);
    const { size, units } = measure.load;
    return !isOver({ size: size + held + 1, units: units + held }, limit);
  }

  #measureOf(
    { text, rewrites }: Pick<ReplyDocument, 'text' | 'rewrites'>,
    begin: Begin,
    limit: number,
  ): Measure {
    const known = this.#measures.get(begin.at);
    const holds = known?.rewrites === rewrites && known.limit === limit && known.length <= text.length;
    if (known !== undefined && holds) return known;
    const load = loadWith(EMPTY, this.#emitter.head(text, begin));
    const measure: Measure = { rewrites, limit, length: 0, state: begin, load, cut: undefined };
    keepBound(this.#measures, begin.at, measure, MEASURES);
    return measure;
  }
}

/**
 * True if at least part of the text after `from` can be shown now and is not blank. Blank messages are refused by
 * every channel.
 */
export function hasWords({ emit }: Pick<Emitter, 'emit'>, text: string, from: StreamState): boolean {
  const { out, state } = emit(text, from, { ...GROWING, enough: 1 });
  return out.trim() !== '' || (out !== '' && emit(text, state, GROWING).out.trim() !== '');
}

export const isBlank = (text: string, from: number): boolean => text.slice(from).trim() === '';
