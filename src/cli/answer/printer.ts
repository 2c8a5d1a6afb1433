/** A reply at the terminal: its text as it grows, the agent's steps beside it, and what follows the text. */

import { isFinal, type ReplyDocument } from '../../core/reply.ts';
import { plain } from '../print.ts';
import { type Found, writeEnding } from './ending.ts';
import { createPen, type Paper } from './pen.ts';
import { Writing } from './writing.ts';

export interface Printer {
  /** Each state of the reply, in order; the last one is final. */
  print(document: ReplyDocument): void;
  /** What follows the text, after the last state. */
  end(document: ReplyDocument, media: readonly Found[]): void;
}

/**
 * How often a text that was written anew is printed again while it grows. One that is rewritten more often is printed
 * when it is final, so that what is printed stays in proportion to the answer.
 */
const LIVE_AGAIN = 1;
const ANEW = '--- The answer was written anew: ---';

/** @param aside takes lines that are not part of the answer: the agent's steps, warnings and errors */
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
