/** The stream of a one-to-one chat. It shows the agent's steps until the answer begins, then the text so far. */

import {
  asWords,
  type Begin,
  type Emitter,
  GROWING,
  hashOf,
  hasWords,
  isUnsaid,
  type Step,
  type StreamSurface,
  shortened,
  stepSigns,
} from '../../../src/kit/ladder.ts';
import type { ReplyDocument } from '../../../src/kit.ts';
import { words } from '../render/words.ts';
import type { Emitted, TeamsLive } from './screen.ts';

/**
 * Time after which the bridge ends a stream, in milliseconds. Teams itself ends a stream after two minutes. The
 * bridge's time is shorter, because its last call may have to wait for the rate limit and for calls that time out.
 */
export const STREAM_MS = 95_000;

/** Content that a call of a stream shows. */
export type StreamContent = 'steps' | 'text';

export const firstContent = (emitter: Emitter, { text }: ReplyDocument, begin: Begin): StreamContent =>
  hasWords(emitter, text, begin) ? 'text' : 'steps';

/** Returns what the stream's next call shows; undefined if the stream is up to date. */
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

/**
 * Describes Teams' streams for the ladder. If the outcome of a call is unknown, the call is repeated with the same
 * sequence number, so that Teams drops a duplicate.
 */
export function streamSurface(emitter: Emitter, afterwards: StreamSurface['afterwards']): StreamSurface {
  const advance = (document: ReplyDocument, part: TeamsLive): Emitted => {
    const { state, sequence } = part.emitted;
    return nextContent(emitter, part, document) === 'steps'
      ? { state, sequence: sequence + 1, line: stepsMark(document) }
      : { state: emitter.emit(document.text, state, GROWING).state, sequence: sequence + 1 };
  };
  return {
    maxMs: STREAM_MS,
    afterwards,
    // The call that ends a stream contains the whole text, so no append is needed before it.
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

/**
 * Maximum bytes of the line that shows steps. Microsoft's page on streaming bot messages allows 1 KB for such an
 * "informative" message.
 */
const LINE_BYTES = 1_000;
/** Maximum characters of one step in that line. */
const STEP_CHARS = 120;

/** Returns the newest steps that fit into one line, as plain text. Without steps, returns `meanwhile`. */
export function stepsLine({
  steps,
  meanwhile = words.thinking,
}: Pick<ReplyDocument, 'steps' | 'meanwhile'>): string {
  let line = '';
  for (const step of steps.toReversed()) {
    const one = `${stepSigns[step.state]} ${wordsOf(step)}`;
    const longer = line === '' ? one : `${one}  ${line}`;
    if (Buffer.byteLength(longer) > LINE_BYTES) break;
    line = longer;
  }
  return line === '' ? meanwhile : line;
}

function wordsOf({ name, detail }: Step): string {
  const line = (detail === undefined ? name : `${name}: ${detail}`).replace(/\s+/g, ' ').trim();
  return asWords(shortened(line, STEP_CHARS));
}

/** Returns a hash of the line of steps, which shows whether the line has changed. */
const stepsMark = (document: ReplyDocument): number => hashOf(stepsLine(document));
