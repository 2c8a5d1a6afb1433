/** Prints a reply at the terminal: its text while it grows, the agent's steps, and what follows the text. */

import { isFinal, type ReplyDocument, type Source } from '../../core/reply.ts';
import {
  createEmitter,
  type Emitted,
  type Emitter,
  ENDED,
  GROWING,
  MAX_HOLD_CHARS,
  openEmphasisFrom,
  START,
  type StreamState,
} from '../../kit/emission.ts';
import { plain } from '../print.ts';
import { type Found, writeEnding } from './ending.ts';
import { MarkdownPrinter } from './markdown-printer.ts';
import { type Listed, Numbering } from './numbering.ts';
import { createStyledWriter, type StyledWriter, type TextOutput } from './styled-writer.ts';

/**
 * Maximum number of times that a text is printed anew because the agent rewrote it. After more rewrites, only the final
 * text is printed; otherwise the output could be many times longer than the answer.
 */
const LIVE_AGAIN = 1;
const ANEW = '--- The answer was rewritten: ---';

/** @param aside prints a line that is not part of the answer: a step of the agent, a warning or an error */
export function createPrinter(output: TextOutput, aside: (line: string) => void) {
  const writer = createStyledWriter(output);
  const steps = new Set<string>();
  let writing = new Writing(writer);
  let stands = true;
  let rewrites = 0;
  let again = 0;

  const tellSteps = (document: ReplyDocument): void => {
    for (const { id, name } of document.steps) {
      if (steps.has(id)) continue;
      steps.add(id);
      if (output.columns !== undefined) writer.lineStart();
      aside(`· ${plain(name).replace(/\s+/g, ' ')}`);
    }
  };
  const beginAnew = (): void => {
    writer.lineStart();
    writer.write(`\n${ANEW}\n\n`, 'dim');
    writing = new Writing(writer);
    stands = true;
    again += 1;
  };

  return {
    /** Prints a state of the reply. Must be called with every state, in order; the last state is the final one. */
    print(document: ReplyDocument) {
      tellSteps(document);
      if (document.rewrites !== rewrites) stands = writing.stands(document.text);
      rewrites = document.rewrites;
      const final = isFinal(document);
      if (!stands && again >= LIVE_AGAIN && !final) return;
      if (!stands) beginAnew();
      if (final) {
        writing.end(document.text, document.sources);
        writer.flush();
      } else writing.grow(document.text, document.sources);
    },
    /** Prints everything that follows the text. Must be called with the final state. */
    end(document: ReplyDocument, media: readonly Found[]) {
      writer.lineStart();
      writeEnding(document, media, writing.list(document.sources), writer);
      for (const { tone, text } of document.notices) if (tone !== 'info') aside(plain(text));
    },
  };
}

const RULE = '────────';
const IMAGE = 'image';

/**
 * Creates an emitter for terminals. Its Markdown contains only emphasis, code, links, lists and tables; anything else
 * becomes plain text.
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

/** Prints one text from its beginning to its end. Printed text is on the terminal and cannot change. */
class Writing {
  readonly #numbering = new Numbering();
  readonly #emitter = terminalMarkdown(this.#numbering);
  readonly #printer: MarkdownPrinter;
  #text = '';
  #state: StreamState = START;

  constructor(writer: StyledWriter) {
    this.#printer = new MarkdownPrinter(writer);
  }

  /** True if the text begins with everything that was printed. If not, it was rewritten. */
  stands(text: string): boolean {
    return text.startsWith(this.#text.slice(0, this.#state.at));
  }

  grow(text: string, sources: readonly Source[]): void {
    this.#take(text, sources, GROWING);
  }

  end(text: string, sources: readonly Source[]): void {
    this.#take(text, sources, ENDED);
    this.#printer.end();
  }

  #take(text: string, sources: readonly Source[], how: typeof GROWING): void {
    this.#numbering.know(sources);
    const emitted = this.#written(text, how);
    this.#text = text;
    this.#state = emitted.state;
    if (emitted.out !== '') this.#printer.add(emitted.out);
  }

  /** Writes the text, up to an offset at which its style is final. */
  #written(text: string, how: typeof GROWING, to = text.length): Emitted {
    const emitted = this.#emitter.emit(text.slice(0, to), this.#state, how);
    const end = how.ended ? emitted.state.at : finalEnd(text, this.#state, emitted.state);
    return end === emitted.state.at ? emitted : this.#written(text, how, end);
  }

  list(sources: readonly Source[]): readonly Listed[] {
    return this.#numbering.list(this.#text, sources);
  }
}

/**
 * Matches the end of a text that the next characters may make an entity, an HTML line break (`<br>`) or an address.
 * Marks inside an address are not emphasis, so addresses are printed as a whole.
 */
const unfinished =
  /&#?\w{0,31}$|(?:<|&lt;)(?:b(?:r ?\/?(?:&(?:gt?)?)?)?)?$|(?<![\p{L}\p{N}])(?:h|ht|htt|https?|https?:\/?|https?:\/\/[^\s`[\]<>]*)$/iu;

/**
 * Returns the offset up to which no further text can change the style of the text, which was written from one state to
 * the other.
 */
function finalEnd(text: string, from: StreamState, to: StreamState): number {
  const { at, fresh, fence, formula, heading, skips } = to;
  if (fresh || fence !== undefined || formula !== undefined || skips) return at;
  const written = text.slice(from.at, at);
  const start = from.at + Math.max(written.lastIndexOf('\n'), written.lastIndexOf('\r')) + 1;
  if (heading && !from.heading) return at - start > MAX_HOLD_CHARS ? at : start;
  const near = Math.max(start, at - MAX_HOLD_CHARS);
  const half = text.slice(near, at).search(unfinished);
  const end = openEmphasisFrom(text, start, half < 0 ? at : near + half);
  return at - end > MAX_HOLD_CHARS ? at : end;
}
