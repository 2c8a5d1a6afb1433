/** What the agent does, on the one line that a stream shows before its text. */

import { asWords } from '../../../src/kit/emission.ts';
import { hashOf } from '../../../src/kit/shown.ts';
import type { ReplyDocument, Step } from '../../../src/kit.ts';
import { words } from '../render/words.ts';

/** Bytes of an informative message (Microsoft's page on streaming bot messages: 1 KB). */
const LINE_BYTES = 1_000;
/** Characters of one step's words. */
const STEP_CHARS = 120;

const signs: Readonly<Record<Step['state'], string>> = { running: '◌', done: '✓', failed: '✗' };

/** The newest steps that fit; plain words. */
export function stepsLine({ steps }: Pick<ReplyDocument, 'steps'>): string {
  let line = '';
  for (const step of steps.toReversed()) {
    const one = `${signs[step.state]} ${wordsOf(step)}`;
    const longer = line === '' ? one : `${one}  ${line}`;
    if (Buffer.byteLength(longer) > LINE_BYTES) break;
    line = longer;
  }
  return line === '' ? words.thinking : line;
}

function wordsOf({ name, detail }: Step): string {
  const said = (detail === undefined ? name : `${name}: ${detail}`).replace(/\s+/g, ' ').trim();
  return asWords(said.length <= STEP_CHARS ? said : `${said.slice(0, STEP_CHARS - 1).toWellFormed()}…`);
}

/** Which line is shown, without its words. */
export const stepsMark = (document: Pick<ReplyDocument, 'steps'>): number => hashOf(stepsLine(document));
