/** Where the brackets of a line end: one look along the line answers for all of them. */

import { closingRun, leaksFromCells, MAX_HOLD_CHARS, runEnd } from './scan.ts';

/** What is known of a bracket: where it ends, or that a link stands inside it, so that it is none itself. */
export type LabelEnd = number | 'text';

interface Opener {
  readonly at: number;
  readonly image: boolean;
}

/** How far a line may be looked along. */
export interface Horizon {
  readonly end: number;
  /** Whether the line ends there, so that what is open there stays open. */
  readonly whole: boolean;
}

export class Labels {
  readonly #source: string;
  /** The next character to look at, and how far the end of the code was looked for that may begin there. */
  #at: number;
  #searched = 0;
  #open: Opener[] = [];
  readonly #known = new Map<number, LabelEnd | undefined>();
  /** Characters that were looked at. */
  looks = 0;

  /** @param at where the first bracket stands */
  constructor(source: string, at: number) {
    this.#source = source;
    this.#at = at;
  }

  /** Whether the bracket is one that may open a label: it stands in no code that began before it. */
  knows(bracket: number): boolean {
    return this.#known.has(bracket);
  }

  endOf(bracket: number): LabelEnd | undefined {
    return this.#known.get(bracket);
  }

  /** Goes on to the horizon, or to what is not decided there: a run of backticks, or what follows a bracket. */
  advance(horizon: Horizon): void {
    while (this.#at < horizon.end) {
      const from = this.#at;
      const char = this.#source[from];
      if (char === '`') this.#code(horizon);
      else if (char === ']') this.#close(horizon);
      else {
        if (char === '[') this.#push(from);
        this.#at += char === '\\' ? 2 : 1;
      }
      if (this.#at === from) return;
      this.looks += this.#at - from;
    }
  }

  #push(at: number): void {
    this.#open.push({ at, image: this.#source[at - 1] === '!' });
    this.#known.set(at, undefined);
  }

  #close({ end, whole }: Horizon): void {
    const next = this.#at + 1;
    if (next === end && !whole) return;
    const opener = this.#open.pop();
    if (opener !== undefined) this.#known.set(opener.at, this.#at);
    if (opener?.image === false && next < end && this.#source[next] === '(') {
      for (const { at } of this.#open) this.#known.set(at, 'text');
      this.#open = [];
    }
    this.#at = next;
  }

  /** Code hides what stands in it. Marks that nothing closes hide nothing, once that is sure. */
  #code({ end, whole }: Horizon): void {
    const at = this.#at;
    const from = runEnd(this.#source, at, end);
    if (from === end && !whole) return;
    const limit = Math.min(end, at + MAX_HOLD_CHARS);
    const begin = Math.max(from, this.#searched);
    const run = closingRun(this.#source, { size: from - at, from: begin, end: limit });
    this.looks += run.from - begin;
    this.#searched = run.from;
    const isSure = whole || limit < end || (run.to !== undefined && run.to < limit);
    if (!isSure) return;
    this.#searched = 0;
    const closes = run.to !== undefined && run.to - run.from === from - at;
    const hides = closes && !leaksFromCells(this.#source.slice(from, run.from));
    this.#at = hides ? (run.to ?? from) : from;
  }
}
