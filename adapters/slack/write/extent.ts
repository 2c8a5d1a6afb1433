/** How much of a growing answer one message can hold. */

import type { ReplyDocument } from '../../../src/kit.ts';
import { type Begin, beginAt, cutAfter, headOut, insideLine, settledEdge } from '../render/cut.ts';
import { type Emission, emit, GROWING } from '../render/emit.ts';

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

/** Measures one message as its text grows, at a cost linear in its length. What it remembers changes no answer. */
export class Extent {
  #of = '';
  #state: Emission = { at: 0, fresh: true };
  #chars = 0;
  #length = 0;
  #cut: { readonly key: string; readonly cut: Cut | undefined } | undefined;

  /** Where a message that begins so must end; nothing while all fits. Never before `atLeast`. */
  cut(document: ReplyDocument, begin: Begin, atLeast: Emission = begin): Cut | undefined {
    const { text, rewrites } = document;
    if (GROWTH * (text.length - begin.at) < PART_CHARS || this.#fits(document, begin)) return undefined;
    const key = `${begin.at} ${rewrites} ${text.length} ${atLeast.at}`;
    if (this.#cut?.key !== key) {
      const found = cutAfter(text, begin, { limit: PART_CHARS, atLeast: atLeast.at });
      const state = found !== undefined && found.at < atLeast.at ? atLeast : found;
      this.#cut = { key, cut: state && { to: state.at, onward: beginAt(text, state) } };
    }
    return this.#cut.cut;
  }

  #fits({ text, rewrites }: ReplyDocument, begin: Begin): boolean {
    const of = `${begin.at} ${rewrites}`;
    if (of !== this.#of || text.length < this.#length) {
      this.#of = of;
      this.#state = begin;
      this.#chars = headOut(text, begin).length;
    }
    this.#length = text.length;
    const { out, state } = emit(text, this.#state, GROWING);
    this.#chars += out.length;
    this.#state = state;
    return this.#chars + GROWTH * (text.length - state.at) < PART_CHARS;
  }
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
