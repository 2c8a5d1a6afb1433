/** How much of a growing answer one message can hold. */

import type { ReplyDocument } from '../../../src/kit.ts';
import {
  type Begin,
  beginAt,
  cutAfter,
  type Emission,
  emit,
  GROWING,
  headOf,
  headOut,
  insideLine,
  settledEdge,
} from '../render/emit.ts';
import { fitsEdit } from '../render/fallback.ts';
import type { Form } from '../render/message.ts';

/** Characters of a message's text: Slack holds about 12,000, of which what stands under it needs some. */
export const PART_CHARS = 11_000;
/** A character of source becomes at most this many. */
const GROWTH = 5;
/** Characters that are worth a message of their own while the rest is still to come. */
const READABLE_CHARS = 240;

export interface Cut {
  readonly to: number;
  readonly onward: Begin;
}

/** One message as its text grows, measured at a cost linear in its length. */
interface Measure {
  readonly rewrites: number;
  length: number;
  state: Emission;
  chars: number;
  /** Once it is full. */
  cut: Cut | undefined;
}

/** Messages that are measured at once: the last one, and the one that may follow it. */
const MEASURES = 4;

/** What it remembers makes it quick and changes no answer. */
export class Extent {
  /** By where the message begins. */
  readonly #measures = new Map<number, Measure>();

  /** Where a message that begins so must end; nothing while all fits. Never before `atLeast`. */
  cut(document: ReplyDocument, begin: Begin, atLeast: Emission = begin): Cut | undefined {
    const { text } = document;
    if (GROWTH * (text.length - begin.at) < PART_CHARS || this.#fits(document, begin)) return undefined;
    const measure = this.#measureOf(document, begin);
    // More text after a place where a message is full does not move that place.
    if (measure.cut === undefined || measure.cut.to < atLeast.at) {
      const found = cutAfter(text, begin, { limit: PART_CHARS, atLeast: atLeast.at });
      const state = found !== undefined && found.at < atLeast.at ? atLeast : found;
      measure.cut = state && { to: state.at, onward: beginAt(text, state) };
    }
    return measure.cut;
  }

  /** The same for a message in the form that Slack takes. */
  cutFor(form: Form, document: ReplyDocument, begin: Begin): Cut | undefined {
    return form === 'plain' ? plainCut(document, begin) : this.cut(document, begin);
  }

  #fits(document: ReplyDocument, begin: Begin): boolean {
    const { text } = document;
    const measure = this.#measureOf(document, begin);
    if (measure.chars < PART_CHARS) {
      const { out, state } = emit(text, measure.state, { ...GROWING, enough: PART_CHARS });
      measure.chars += out.length;
      measure.state = state;
    }
    measure.length = text.length;
    return measure.chars + GROWTH * (text.length - measure.state.at) < PART_CHARS;
  }

  #measureOf({ text, rewrites }: ReplyDocument, begin: Begin): Measure {
    const known = this.#measures.get(begin.at);
    if (known !== undefined && known.rewrites === rewrites && known.length <= text.length) return known;
    const measure: Measure = {
      rewrites,
      length: 0,
      state: begin,
      chars: headOut(text, begin).length,
      cut: undefined,
    };
    this.#measures.set(begin.at, measure);
    for (const oldest of this.#measures.keys()) {
      if (this.#measures.size <= MEASURES) break;
      this.#measures.delete(oldest);
    }
    return measure;
  }
}

/** Characters of a message that is text alone. Slack counts bytes, of which a sign may have five, so the last always fits. */
const PLAIN_CHARS = [3_800, 1_250, 780];

/** Such a message holds as little as an edit can show, so that it can grow and be corrected. */
function plainCut({ text }: ReplyDocument, begin: Begin): Cut | undefined {
  let found: Emission | undefined;
  for (const limit of PLAIN_CHARS) {
    found = cutAfter(text, begin, { limit });
    if (fitsEdit(headOf(text, begin) + text.slice(begin.at, found?.at))) break;
  }
  return found && { to: found.at, onward: beginAt(text, found) };
}

/** Whether anything of the source after a place can be shown already. */
export function hasMore(text: string, from: Emission, ended: boolean): boolean {
  return from.at < text.length && emit(text, from, { ended, enough: 1 }).out !== '';
}

/** Where a first message may end while the rest is to come; nothing while there is too little to read. */
export function readable(text: string, begin: Begin): Cut | undefined {
  const settled = settledEdge(text, begin);
  const long = text.length - begin.at >= READABLE_CHARS;
  const state = settled ?? (long ? insideLine(text, begin, text.length - begin.at) : undefined);
  return state && state.at > begin.at ? { to: state.at, onward: beginAt(text, state) } : undefined;
}

export const isBlank = (text: string, from: number): boolean => text.slice(from).trim() === '';
