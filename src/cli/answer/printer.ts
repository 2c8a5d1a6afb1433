/** Prints a reply at the terminal: its growing text, the agent's steps, and the parts after the text. */

import { isFinal, type ReplyDocument, type Source } from '../../core/reply.ts';
import { createEmitter, type Emitter, ENDED, GROWING, START, type StreamState } from '../../kit/emission.ts';
import { plain } from '../print.ts';
import { type Found, writeEnding } from './ending.ts';
import { type Listed, Numbering } from './numbering.ts';
import { createPen, type Paper, type Pen } from './pen.ts';
import { Sheet } from './sheet.ts';

interface Printer {
  /** Prints a state of the reply. Must be called with each state in order; the last one is final. */
  print(document: ReplyDocument): void;
  /** Prints everything that follows the text. Called with the final state. */
  end(document: ReplyDocument, media: readonly Found[]): void;
}

/**
 * Maximum number of times that a rewritten text is printed again while it grows. After further rewrites, the
 * text is printed only when it is final, so that the amount printed stays in proportion to the answer.
 */
const LIVE_AGAIN = 1;
const ANEW = '--- The answer was rewritten: ---';

/** @param aside prints lines that are not part of the answer: the agent's steps, warnings and errors */
export function createPrinter(paper: Paper, aside: (line: string) => void): Printer {
  const pen = createPen(paper);
  const steps = new Set<string>();
  let writing = new Writing(pen);
  let stands = true;
  let rewrites = 0;
  let again = 0;

  const tellSteps = (document: ReplyDocument): void => {
    for (const { id, name } of document.steps) {
      if (steps.has(id)) continue;
      steps.add(id);
      if (paper.columns !== undefined) pen.lineStart();
      aside(`· ${plain(name).replace(/\s+/g, ' ')}`);
    }
  };
  const beginAnew = (): void => {
    pen.lineStart();
    pen.write(`\n${ANEW}\n\n`, 'dim');
    writing = new Writing(pen);
    stands = true;
    again += 1;
  };

  return {
    print(document) {
      tellSteps(document);
      if (document.rewrites !== rewrites) stands = writing.stands(document.text);
      rewrites = document.rewrites;
      const final = isFinal(document);
      if (!stands && again >= LIVE_AGAIN && !final) return;
      if (!stands) beginAnew();
      if (final) {
        writing.end(document.text, document.sources);
        pen.flush();
      } else writing.grow(document.text, document.sources);
    },
    end(document, media) {
      pen.lineStart();
      writeEnding({ document, media, sources: writing.list(document.sources) }, pen);
      for (const { tone, text } of document.notices) if (tone !== 'info') aside(plain(text));
    },
  };
}

const RULE = '────────';
const IMAGE = 'image';

/**
 * Creates an emitter whose Markdown contains only emphasis, code, links, lists and tables; everything else
 * becomes plain words.
 */
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

/** Prints a text from its beginning. The consumed part is on the terminal and cannot change. */
class Writing {
  readonly #numbering = new Numbering();
  readonly #emitter = terminalMarkdown(this.#numbering);
  readonly #sheet: Sheet;
  #text = '';
  #state: StreamState = START;

  constructor(pen: Pen) {
    this.#sheet = new Sheet(pen);
  }

  /** True if a text begins with everything that was consumed so far. */
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
