/** A reply whose last message is a live stream: the text so far again and again, then its end. */

import { asWords } from '../../../src/kit/emission.ts';
import type { Extent } from '../../../src/kit/extent.ts';
import { hashOf } from '../../../src/kit/shown.ts';
import { isFinal, type Move, type ReplyDocument, type Step } from '../../../src/kit.ts';
import { words } from '../render/words.ts';
import { move } from './calls.ts';
import type { Emitted, TeamsPart, TeamsScreen } from './screen.ts';
import { isUnsaid } from './shapes.ts';

/**
 * Milliseconds that a stream is used: Teams ends it after two minutes. What ends it may have to wait for a rate, and for
 * answers that do not come.
 */
const STREAM_MS = 95_000;

interface Streaming {
  readonly screen: TeamsScreen;
  readonly document: ReplyDocument;
  readonly now: number;
  readonly extent: Extent;
}

export function streamMoves({ screen, document, now, extent }: Streaming): readonly Move[] {
  const index = screen.parts.length - 1;
  const part = screen.parts[index];
  const emitted = part?.emitted;
  if (part === undefined || emitted === undefined) return [];
  const final = { kind: 'final', document, index, part } as const;
  const full = emitted.full && extent.hasMore(document.text, emitted.state, isFinal(document));
  const to = full
    ? emitted.state.at
    : extent.cut(document, part.begin, { limit: screen.chars, shown: emitted.state })?.to;
  if (to !== undefined) return [move({ ...final, why: 'rotate', to }, true)];
  if (isFinal(document)) return [move({ ...final, why: 'end' }, true)];
  if (now - part.openedAt >= STREAM_MS) return [move({ ...final, why: 'late' }, true)];
  const says = news({ ...part, emitted }, document, extent);
  return says === undefined ? [] : [move({ kind: 'stream', document, index, part, says }, false)];
}

type Live = TeamsPart & { readonly emitted: Emitted };

function news(
  { begin, emitted }: Live,
  document: ReplyDocument,
  extent: Extent,
): 'steps' | 'text' | undefined {
  const { text } = document;
  const more = isUnsaid(begin, emitted)
    ? extent.hasWords(text, emitted.state)
    : extent.hasMore(text, emitted.state, false);
  if (more) return 'text';
  if (emitted.line === undefined) return emitted.again ? 'text' : undefined;
  return emitted.again || stepsMark(document) !== emitted.line ? 'steps' : undefined;
}

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
