/** One printing of a text, from its first word on. What it has taken of the text stands on the terminal. */

import type { Source } from '../../core/reply.ts';
import { createEmitter, type Emission, type Emitter, ENDED, GROWING, START } from '../../kit/emission.ts';
import { type Listed, Numbering } from './numbering.ts';
import type { Pen } from './pen.ts';
import { Sheet } from './sheet.ts';

const RULE = '────────';
const IMAGE = 'image';

/** Markdown of which the terminal reads emphasis, code, links, lists and tables; the rest is words already. */
const terminalMarkdown = (numbering: Numbering): Emitter =>
  createEmitter({
    prose: (text) => text,
    code: (text) => text,
    codeSpan: (text) => text,
    language: (name) => name,
    mark: (number) => `\\[${numbering.print(number)}]`,
    image: (words) => (words === IMAGE ? `\\[${IMAGE}]` : `\\[${IMAGE}: ${words}]`),
    task: (done) => (done ? '[x]' : '[ ]'),
    heading: '**',
    rule: RULE,
  });

export class Writing {
  readonly #numbering = new Numbering();
  readonly #emitter = terminalMarkdown(this.#numbering);
  readonly #sheet: Sheet;
  #text = '';
  #state: Emission = START;

  constructor(pen: Pen) {
    this.#sheet = new Sheet(pen);
  }

  /** Whether anything of the text is taken. */
  get begun(): boolean {
    return this.#state.at > 0;
  }

  /** Whether a text begins with all that was taken. */
  stands(text: string): boolean {
    return text.startsWith(this.#text.slice(0, this.#state.at));
  }

  grow(text: string, sources: readonly Source[]): void {
    this.#take(text, sources, GROWING);
  }

  end(text: string, sources: readonly Source[]): void {
    this.#take(text, sources, ENDED);
    this.#sheet.end();
  }

  #take(text: string, sources: readonly Source[], how: typeof GROWING): void {
    this.#numbering.know(sources);
    const { out, state } = this.#emitter.emit(text, this.#state, how);
    this.#text = text;
    this.#state = state;
    if (out !== '') this.#sheet.add(out);
  }

  list(sources: readonly Source[]): readonly Listed[] {
    return this.#numbering.list(this.#text, sources);
  }
}
