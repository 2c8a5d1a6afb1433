/** The native stream of a personal chat: shows the steps until text of the answer arrives, then the text so far. */

import { asWords, type Begin, type Emitter, GROWING } from '../../../src/kit/emission.ts';
import {
  hashOf,
  hasWords,
  isUnsaid,
  type ReplyDocument,
  type Step,
  type StreamSurface,
} from '../../../src/kit.ts';
import { words } from '../render/words.ts';
import type { Emitted, TeamsLive } from './screen.ts';

/**
 * Milliseconds after which a stream is ended: Teams ends it after two minutes. The call that ends it may have to wait for
 * the rate limit and for calls that time out.
 */
const STREAM_MS = 95_000;

/** The content of a stream's call. */
export type StreamContent = 'steps' | 'text';

export const firstContent = (emitter: Emitter, { text }: ReplyDocument, begin: Begin): StreamContent =>
  hasWords(emitter, text, begin) ? 'text' : 'steps';

/** Returns what a further call shows; undefined if the stream is up to date. */
export function nextContent(
  emitter: Emitter,
  part: TeamsLive,
  document: ReplyDocument,
): StreamContent | undefined {
  const { state, again, line } = part.emitted;
  const { text } = document;
  const more = isUnsaid(part)
    ? hasWords(emitter, text, state)
    : state.at < text.length && emitter.emit(text, state, { ...GROWING, enough: 1 }).out !== '';
  if (more) return 'text';
  if (line === undefined) return again ? 'text' : undefined;
  return again || stepsMark(document) !== line ? 'steps' : undefined;
}

/** Describes Teams' streams. A call of unknown outcome is repeated with the same number; Teams drops duplicates. */
export function streamSurface(emitter: Emitter): StreamSurface {
  const advance = (document: ReplyDocument, part: TeamsLive): Emitted => {
    const { state, sequence } = part.emitted;
    return nextContent(emitter, part, document) === 'steps'
      ? { state, sequence: sequence + 1, line: stepsMark(document) }
      : { state: emitter.emit(document.text, state, GROWING).state, sequence: sequence + 1 };
  };
  return {
    maxMs: STREAM_MS,
    afterwards: 'late',
    // No append is needed before the call that ends a stream, because that call contains the whole text.
    appendsMeanwhile: false,
    start(document, begin, to) {
      if (firstContent(emitter, document, begin) === 'steps')
        return { state: begin, sequence: 1, line: stepsMark(document) };
      return { state: emitter.emit(document.text.slice(0, to), begin, GROWING).state, sequence: 1 };
    },
    hasNews: (document, part: TeamsLive) => nextContent(emitter, part, document) !== undefined,
    advance,
    repeat(document, part: TeamsLive, why) {
      const { emitted } = part;
      if (why === 'dropped') return { ...emitted, sequence: emitted.sequence + 1, again: true };
      return { ...advance(document, part), sequence: emitted.sequence, again: true };
    },
  };
}

/** Maximum bytes of an informative message (Microsoft's page on streaming bot messages: 1 KB). */
const LINE_BYTES = 1_000;
/** Maximum characters of one step. */
const STEP_CHARS = 120;

const signs: Readonly<Record<Step['state'], string>> = { running: '◌', done: '✓', failed: '✗' };

/** Returns the newest steps that fit, in plain words. */
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

/** Identifies the line that is shown. */
const stepsMark = (document: ReplyDocument): number => hashOf(stepsLine(document));
