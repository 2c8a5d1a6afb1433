/** What the openers of a text see of it: each character is looked at about once, however many openers there are. */

import { type Horizon, type LabelEnd, Labels } from './labels.ts';
import {
  type Found,
  findTarget,
  isLineEnd,
  type Link,
  MAX_HOLD_CHARS,
  undecided,
  type Window,
} from './scan.ts';

/**
 * Looks along a line that are remembered. One is enough unless what an image's address holds reads as code where
 * the brackets around it are looked for, which shows the line in another way.
 */
const LOOKS = 4;

export class Sight {
  readonly #source: string;
  readonly #ended: boolean;
  /** No line ends from here to there. */
  #from = 0;
  #to = 0;
  #along: Labels[] = [];
  /** Characters that were looked at for what is no longer remembered, and for the ends of lines. */
  #spent = 0;

  /** @param ended whether nothing will follow the source */
  constructor(source: string, ended: boolean) {
    this.#source = source;
    this.#ended = ended;
  }

  /** Characters that were looked at, each as often as it was, but for those of addresses. */
  get looks(): number {
    return this.#along.reduce((sum, { looks }) => sum + looks, this.#spent);
  }

  /** What an opener at `at` may see. */
  window(at: number): Window {
    if (at < this.#from || at > this.#to) this.#restart(at);
    const source = this.#source;
    const most = at + MAX_HOLD_CHARS;
    const limit = Math.min(source.length, most);
    const known = this.#to;
    while (this.#to < limit && !isLineEnd(source[this.#to])) this.#to++;
    this.#spent += this.#to - known;
    const end = Math.min(this.#to, limit);
    return { source, end, closed: end < limit || this.#ended || limit === most };
  }

  #restart(at: number): void {
    this.#from = at;
    this.#to = at;
    this.#spent = this.looks;
    this.#along = [];
  }

  /**
   * An inline link or image whose label's bracket stands at `at`, all of it on one line. Openers are asked about in order.
   * @param opener where it begins: an image with the mark before its bracket
   */
  link(at: number, opener = at): Found<Link> {
    const window = this.window(opener);
    const { source, end, closed } = window;
    const label = this.#labelEnd(at, { end, whole: closed && end - opener < MAX_HOLD_CHARS });
    if (label === 'text') return label;
    if (label === undefined || label + 1 >= end) return undecided(window);
    if (source[label + 1] !== '(') return 'text';
    const target = findTarget(source.slice(label + 2, end));
    if (target === 'open') return undecided(window);
    if (target === 'none') return 'text';
    return {
      label: source.slice(at + 1, label),
      destination: target.destination,
      end: label + 2 + target.length,
    };
  }

  #labelEnd(at: number, horizon: Horizon): LabelEnd | undefined {
    for (const along of this.#along) {
      along.advance(horizon);
      if (along.knows(at)) return along.endOf(at);
    }
    const along = new Labels(this.#source, at);
    along.advance(horizon);
    this.#spent += this.#along.slice(LOOKS - 1).reduce((sum, { looks }) => sum + looks, 0);
    this.#along = [along, ...this.#along.slice(0, LOOKS - 1)];
    return along.endOf(at);
  }
}
