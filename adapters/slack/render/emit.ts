/**
 * T: the answer's Markdown as a stream that can only be appended to may show it. `T(p)` is a prefix of `T(p + s)` for
 * all texts (house.md, growing text): only undecided openers are held, and what they are is decided at the line's end.
 * Whole messages go through the same, so that safety has one place.
 */

import { imageWords } from '../../../src/kit.ts';
import { followed, linkTo } from './destination.ts';
import { asWords, bracketless, carried } from './escape.ts';
import { closesFence, type Fence, fenceOut, openFence } from './fence.ts';
import { lineStart } from './line-start.ts';
import { findCode, findLink, type Link, runEnd, windowAt } from './scan.ts';

/** Where an emission stands. Plain data: the source and this go on exactly where it stopped. */
export interface Emission {
  /** How much of the source it has taken. */
  readonly at: number;
  /** Whether `at` begins a line, so that a fence, a quote or a list may begin. */
  readonly fresh: boolean;
  readonly fence?: Fence;
}

export const START: Emission = { at: 0, fresh: true };

/** One step: what it takes, what it gives; nothing while it is held. */
interface Step {
  readonly to: number;
  readonly out: string;
  readonly fresh: boolean;
  readonly fence?: Fence;
}

export interface Emitted {
  readonly out: string;
  readonly state: Emission;
}

export interface How {
  /** Nothing will follow, so that nothing is held. */
  readonly ended: boolean;
  /** Stops when so many units came out. */
  readonly enough?: number;
  /** What the marks of sources become: `[7]` is `[1]`. */
  readonly numbers?: ReadonlyMap<number, number>;
}

export const GROWING: How = { ended: false };
export const ENDED: How = { ended: true };

/** Goes on with a text. */
export function emit(source: string, from: Emission, how: How): Emitted {
  const { enough = Number.POSITIVE_INFINITY } = how;
  let state = from;
  let out = '';
  while (state.at < source.length && out.length < enough) {
    const step = next(source, state, how);
    if (step === undefined) break;
    out += step.out;
    state = { at: step.to, fresh: step.fresh, ...(step.fence && { fence: step.fence }) };
  }
  return { out, state };
}

/** What closes the open fence, on a line of its own; empty where none is open. */
export function closing({ fence, fresh }: Emission): string {
  return fence === undefined ? '' : `${fresh ? '' : '\n'}${fenceOut(fence)}`;
}

/** A whole text, closed. */
export function markdown(source: string, from: Emission = START, how: How = ENDED): string {
  const { out, state } = emit(source, from, how);
  return out + closing(state);
}

function next(source: string, state: Emission, how: How): Step | undefined {
  if (state.fence !== undefined)
    return inFence(source, state.at, { ...state, fence: state.fence }, how.ended);
  return state.fresh ? atLineStart(source, state.at, how.ended) : inProse(source, state.at, how);
}

function inFence(
  source: string,
  at: number,
  { fence, fresh }: { readonly fence: Fence; readonly fresh: boolean },
  ended: boolean,
): Step | undefined {
  if (!fresh) return codeText(source, at, fence, ended);
  const line = closesFence(windowAt(source, at, ended), at, fence);
  if (line.kind === 'held') return undefined;
  if (line.kind === 'closed') return { to: line.to, out: fenceOut(fence), fresh: false };
  if (line.kind === 'left') return { to: at, out: `${fenceOut(fence)}\n`, fresh: true };
  return { to: line.to, out: line.out, fresh: false, fence };
}

const codeEnd = /[\n\r\ud800-\udfff]/g;

function codeText(source: string, at: number, fence: Fence, ended: boolean): Step | undefined {
  const end = lineEndAt(source, at, ended);
  if (end === 'held') return undefined;
  if (end !== undefined) return { to: end, out: '\n', fresh: true, fence };
  const to = stretch(source, at, codeEnd);
  if (to > at) return { to, out: bracketless(carried(source.slice(at, to))), fresh: false, fence };
  const half = character(source, at, ended);
  return half && { ...half, fence };
}

function atLineStart(source: string, at: number, ended: boolean): Step | undefined {
  const window = windowAt(source, at, ended);
  const start = lineStart(window, at);
  if (start === 'held') return undefined;
  if (start.kind === 'text') return { to: start.to, out: start.out, fresh: false };
  return { to: start.to, out: start.out, fresh: false, fence: openFence(start) };
}

const special = /[\\`[!<>\n\r\ud800-\udfff]/g;

function inProse(source: string, at: number, how: How): Step | undefined {
  const { ended } = how;
  const to = stretch(source, at, special);
  if (to > at) return { to, out: carried(source.slice(at, to)), fresh: false };
  const end = lineEndAt(source, at, ended);
  if (end === 'held') return undefined;
  if (end !== undefined) return { to: end, out: '\n', fresh: true };
  switch (source[at]) {
    case '<':
      return text(at + 1, '&lt;');
    case '>':
      return text(at + 1, '&gt;');
    case '\\':
      return escaped(source, at, ended);
    case '`':
      return code(source, at, ended);
    case '[':
      return bracket(source, at, how);
    case '!':
      return exclamation(source, at, ended);
    default:
      return character(source, at, ended);
  }
}

const text = (to: number, out: string): Step => ({ to, out, fresh: false });

/** Where the next character that a pattern looks for stands, else the end. */
function stretch(source: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.index ?? source.length;
}

/** Where a line end at `at` ends; a CR at the very end may become CRLF. */
function lineEndAt(source: string, at: number, ended: boolean): number | 'held' | undefined {
  if (source[at] === '\n') return at + 1;
  if (source[at] !== '\r') return undefined;
  if (at + 1 === source.length && !ended) return 'held';
  return source[at + 1] === '\n' ? at + 2 : at + 1;
}

/** A character of two units; half of one alone is no character. */
function character(source: string, at: number, ended: boolean): Step | undefined {
  const first = source.charCodeAt(at);
  const isHigh = first >= 0xd800 && first <= 0xdbff;
  if (isHigh && at + 1 === source.length && !ended) return undefined;
  const second = source.charCodeAt(at + 1);
  if (isHigh && second >= 0xdc00 && second <= 0xdfff) return text(at + 2, source.slice(at, at + 2));
  return text(at + 1, '\uFFFD');
}

const punctuation = /[!-/:-@[-`{-~]/;

function escaped(source: string, at: number, ended: boolean): Step | undefined {
  const char = source[at + 1];
  if (char === undefined) return ended ? text(at + 1, '\\\\') : undefined;
  if (char === '<' || char === '>') return text(at + 2, bracketless(char));
  return punctuation.test(char) ? text(at + 2, `\\${char}`) : text(at + 1, '\\');
}

function code(source: string, at: number, ended: boolean): Step | undefined {
  const window = windowAt(source, at, ended);
  const found = findCode(window, at);
  if (found === 'held') return undefined;
  if (found === 'text') {
    const to = runEnd(source, at, window.end);
    return text(to, '\\`'.repeat(to - at));
  }
  return text(found.end, bracketless(carried(source.slice(at, found.end))));
}

/** Any bracket that opens no link is escaped, so that no later text can make it one. */
function bracket(source: string, at: number, { ended, numbers }: How): Step | undefined {
  const found = findLink(windowAt(source, at, ended), at);
  if (found === 'held') return undefined;
  if (found !== 'text') return text(found.end, linkOf(found));
  mark.lastIndex = at;
  const marked = numbers && mark.exec(source);
  const number = marked && numbers.get(Number(marked[1]));
  return marked && number !== undefined ? text(at + marked[0].length, `\\[${number}]`) : text(at + 1, '\\[');
}

const mark = /\[(\d{1,4})\]/y;

function linkOf({ label, destination }: Link): string {
  const shown = labelText(label);
  const target = followed(destination);
  return target === undefined ? shown : linkTo(target, label, shown);
}

function exclamation(source: string, at: number, ended: boolean): Step | undefined {
  const char = source[at + 1];
  if (char === undefined) return ended ? text(at + 1, '!') : undefined;
  if (char !== '[') return text(at + 1, '!');
  const found = findLink(windowAt(source, at, ended), at + 1);
  if (found === 'held') return undefined;
  return found === 'text' ? text(at + 2, '!\\[') : text(found.end, wordsOfImage(found));
}

/** An image is its words: no address of it goes to Slack. The platform's own images stand under the text. */
function wordsOfImage({ label, destination }: Link): string {
  return asWords(imageWords(label.replace(/[[\]*_`\\]/g, '').trim(), destination));
}

/** A link's label: code and emphasis stay, brackets and images inside do not. */
function labelText(source: string): string {
  let out = '';
  for (let at = 0; at < source.length; ) {
    const step = inLabel(source, at);
    out += step.out;
    at = step.to;
  }
  return out;
}

function inLabel(source: string, at: number): Step {
  const char = source[at];
  if (char === '[' || char === ']') return text(at + 1, `\\${char}`);
  const step = inProse(source.slice(0, closeOf(source, at)), at, ENDED);
  return step ?? text(at + 1, '');
}

/** Before the next bracket, unless an image begins at `at`. */
function closeOf(source: string, at: number): number {
  if (source[at] === '!' || source[at] === '`' || source[at] === '\\') return source.length;
  const next = source.slice(at).search(/[[\]]/);
  return next < 0 ? source.length : at + next;
}
