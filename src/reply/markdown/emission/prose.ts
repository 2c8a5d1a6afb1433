/** Writes the middle of a line: links, images, code, escapes, and references to sources. */

import { formulaEnd, isShownBackslash, mayBeginFormula } from '../formula.ts';
import { imageWords } from '../inline.ts';
import { LookAhead } from '../look-ahead.ts';
import { findCode, isLineEnd, type Link, MAX_HOLD_CHARS, runEnd } from '../scan.ts';
import { type EmitContext, ENDED, type Step, text } from './emission.ts';
import { asWords, bracketless, carried, followed, linkTo } from './escape.ts';

const special = /[\\`[\]!<>$~\n\r\ud800-\udfff]/g;

export function inProse(source: string, at: number, context: EmitContext): Step | undefined {
  const { ended, dialect } = context;
  const to = stretch(source, at, special);
  if (to > at) return text(to, dialect.prose(carried(source.slice(at, to))));
  const end = lineEndAt(source, at, ended);
  if (end === 'held') return undefined;
  if (end !== undefined) return { to: end, out: '\n', fresh: true };
  return opener(source, at, context);
}

/**
 * Writes the construct that begins at `at`, such as a link; if none begins there, writes the character. Returns
 * undefined if more text must arrive first.
 */
export function opener(source: string, at: number, context: EmitContext): Step | undefined {
  const { ended } = context;
  const formula = lineFormula(source, at, context);
  if (formula === 'held') return undefined;
  // Each sign of a formula is escaped, so that the channel keeps its backslashes and does not read it as Markdown.
  if (formula !== undefined) return text(formula, context.dialect.prose(asWords(source.slice(at, formula))));
  switch (source[at]) {
    case '<':
      return angle(source, at, context);
    case '>':
      return text(at + 1, '&gt;');
    case '\\':
      return escaped(source, at, context);
    case '`':
      return code(source, at, context);
    case '[':
      return bracket(source, at, context);
    case '!':
      return exclamation(source, at, context);
    case ']':
      return text(at + 1, context.inLabel ? '\\]' : ']');
    case '$':
      return text(at + 1, context.dialect.prose('$'));
    case '~':
      return tilde(source, at, ended);
    default:
      return character(source, at, ended);
  }
}

/** Returns the end of the formula that begins at `at` and ends on its line. */
function lineFormula(
  source: string,
  at: number,
  { lookAhead, ended }: EmitContext,
): number | 'held' | undefined {
  if (source[at] !== '\\' && source[at] !== '$') return undefined;
  if (at + 1 === source.length) return ended ? undefined : 'held';
  const { end, closed } = lookAhead.window(at);
  const found = formulaEnd(source, at, end);
  // The character after a dollar sign decides whether it ends a formula.
  if (found !== undefined && (closed || found < end || source[at] === '\\')) return found;
  return !closed && mayBeginFormula(source, at, end) ? 'held' : undefined;
}

/** Matches an address at the end of a text, and how many characters before a tilde are searched for one. */
const inBareAddress = /:\/\/\S*$/;
const ADDRESS_CHARS = 500;

/**
 * Escapes a single tilde: agents write it for "about" or for a range, and two of them would strike out the text between
 * them (seen in PostHog/posthog#68839 and vercel/streamdown#445). Also escapes three or more tildes, which would open a
 * code block at the start of a message. Escapes none in an address, because that would break the link.
 */
function tilde(source: string, at: number, ended: boolean): Step | undefined {
  const before = /~*$/.exec(source.slice(Math.max(0, at - 2), at))?.[0].length ?? 0;
  const run = runEnd(source, at, Math.min(source.length, at + 3)) - at + before;
  if (at + run - before === source.length && run < 3 && !ended) return undefined;
  const isAddress = inBareAddress.test(source.slice(Math.max(0, at - ADDRESS_CHARS), at));
  return text(at + 1, run === 2 || isAddress ? '~' : '\\~');
}

const addressEnd = /[)\s]/g;

/** Skips the rest of an address that is too long for a link. */
export function inAddress(source: string, at: number): Step {
  const end = stretch(source, at, addressEnd);
  if (end === source.length) return { ...text(end, ''), skips: true };
  return text(source[end] === ')' ? end + 1 : end, '');
}

/** Returns the offset of the pattern's next match; the end of the source if there is none. */
export function stretch(source: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.index ?? source.length;
}

/** Returns the end of the line break at `at`. A CR at the end of the text is `held`, because it may become CRLF. */
export function lineEndAt(source: string, at: number, ended: boolean): number | 'held' | undefined {
  if (source[at] === '\n') return at + 1;
  if (source[at] !== '\r') return undefined;
  if (at + 1 === source.length && !ended) return 'held';
  return source[at + 1] === '\n' ? at + 2 : at + 1;
}

/** Writes a surrogate pair. Half a pair is replaced. */
export function character(source: string, at: number, ended: boolean): Step | undefined {
  const first = source.charCodeAt(at);
  const isHigh = first >= 0xd800 && first <= 0xdbff;
  if (isHigh && at + 1 === source.length && !ended) return undefined;
  const second = source.charCodeAt(at + 1);
  if (isHigh && second >= 0xdc00 && second <= 0xdfff) return text(at + 2, source.slice(at, at + 2));
  return text(at + 1, '\uFFFD');
}

/** Matches an address in angle brackets; `schemes` lists how such an address may begin. */
const address = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/i;
const schemes = ['<https://', '<http://', '<mailto:'];

/**
 * Writes an address in angle brackets as a link. Escapes the bracket instead if it stands inside another link's label,
 * or after an exclamation mark, which would turn the link into an image (attack S02). Any other angle bracket is
 * escaped, too.
 */
function angle(source: string, at: number, context: EmitContext): Step | undefined {
  const bracket = text(at + 1, '&lt;');
  if (context.inLabel || source[at - 1] === '!' || !/[hm]/i.test(source[at + 1] ?? 'h')) return bracket;
  const window = context.lookAhead.window(at);
  const near = source.slice(at, window.end);
  const isLong = near.length >= MAX_HOLD_CHARS && mayBecomeAddress(near);
  const { rest, closed } = isLong ? context.lookAhead.far(at) : { rest: near, closed: window.closed };
  const [whole, destination = ''] = address.exec(rest) ?? [];
  if (whole === undefined) return closed || !mayBecomeAddress(rest) ? bracket : undefined;
  const target = followed(destination);
  return target === undefined
    ? bracket
    : text(at + whole.length, linkTo(target, destination, asWords(destination)));
}

function mayBecomeAddress(rest: string): boolean {
  const begun = rest.toLowerCase();
  return schemes.some(
    (scheme) => scheme.startsWith(begun) || (begun.startsWith(scheme) && !/[\s<>]/.test(rest.slice(1))),
  );
}

const punctuation = /[!-/:-@[-`{-~]/;

function escaped(source: string, at: number, { ended, lookAhead }: EmitContext): Step | undefined {
  const char = source[at + 1];
  if (char === undefined) return ended ? text(at + 1, '\\\\') : undefined;
  if (!punctuation.test(char)) return text(at + 1, '\\');
  const { end, closed } = lookAhead.window(at);
  const isShown = isShownBackslash(source, at, { limit: end, isWhole: closed });
  if (isShown === undefined) return undefined;
  if (isShown) return text(at + 2, `\\\\${asWords(char)}`);
  return text(at + 2, char === '<' || char === '>' ? bracketless(char) : `\\${char}`);
}

function code(source: string, at: number, { lookAhead, dialect }: EmitContext): Step | undefined {
  const window = lookAhead.window(at);
  const found = findCode(window, at);
  if (found === 'held') return undefined;
  if (found === 'text') {
    const to = runEnd(source, at, window.end);
    return text(to, '\\`'.repeat(to - at));
  }
  return text(found.end, dialect.codeSpan(carried(source.slice(at, found.end))));
}

/** Writes a link or a reference to a source. Any other bracket is escaped, so that later text cannot make it a link. */
function bracket(source: string, at: number, context: EmitContext): Step | undefined {
  if (context.inLabel) return text(at + 1, '\\[');
  const found = context.lookAhead.link(at);
  if (found === 'held') return undefined;
  if (found !== 'text')
    return { ...text(found.end, linkOf(found, context)), ...(found.long && { skips: true }) };
  mark.lastIndex = at;
  const marked = mark.exec(source);
  return marked === null || defines(source, at, marked[0])
    ? text(at + 1, '\\[')
    : text(at + marked[0].length, markOf(Number(marked[1]), context));
}

const mark = /\[(\d{1,4})\](?!\()/y;

function markOf(number: number, { numbers, dialect }: EmitContext): string {
  return dialect.mark(numbers?.get(number) ?? number);
}

/** Characters that may precede a link definition on its line, and how many of them are checked. */
const lead = /[ \t>\-*+.)\d]/;
const LEAD_CHARS = 200;

/** True if the brackets could begin a link definition: they stand at the start of a line, and a colon follows them. */
function defines(source: string, at: number, brackets: string): boolean {
  if (source[at + brackets.length] !== ':') return false;
  let from = at;
  while (at - from < LEAD_CHARS && lead.test(source.charAt(from - 1))) from--;
  return from === 0 || at - from === LEAD_CHARS || isLineEnd(source[from - 1]);
}

function linkOf({ label, destination, long }: Link, context: EmitContext): string {
  const labelled = labelText(label, context);
  const target = followed(destination);
  if (target === undefined) return withoutLink(labelled);
  return long ? `${withoutLink(labelled)} (${asWords(target.host)})` : linkTo(target, label, labelled);
}

/** Matches a label that may begin a block at the start of a line or message, alone or with the text after it. */
const mayBeginBlock = /^(?:$|[-+*#=~`\s]|\d{1,9}(?:$|[.)])|_[_\s]*$)/;

/**
 * Writes a label whose link is left out. A word joiner keeps it from beginning a block, such as a fence. An exclamation
 * mark at its end is escaped, because it would turn a link after it into an image (attack S02).
 */
function withoutLink(label: string): string {
  const inline = mayBeginBlock.test(label) ? `\u2060${label}` : label;
  return inline.replace(/(^|[^\\])((?:\\\\)*)!$/, '$1$2\\!');
}

function exclamation(
  source: string,
  at: number,
  { ended, dialect, lookAhead }: EmitContext,
): Step | undefined {
  const char = source[at + 1];
  if (char === undefined) return ended ? text(at + 1, '!') : undefined;
  if (char !== '[') return text(at + 1, '!');
  const found = lookAhead.link(at + 1, at);
  if (found === 'held') return undefined;
  if (found === 'text') return text(at + 2, '!\\[');
  const image = withoutLink(dialect.image(wordsOfImage(found)));
  return { ...text(found.end, image), ...(found.long && { skips: true }) };
}

/**
 * Returns the text that replaces an image. The image's address is never sent; images that the platform stores are
 * shown below the text.
 */
function wordsOfImage({ label, destination }: Link): string {
  return asWords(imageWords(label.replace(/[[\]*_`\\]/g, '').trim(), destination));
}

/** Writes a link's label. Keeps code and emphasis; escapes brackets and images. */
function labelText(source: string, { dialect }: EmitContext): string {
  const context: EmitContext = { ...ENDED, dialect, lookAhead: new LookAhead(source, true), inLabel: true };
  let out = '';
  for (let at = 0; at < source.length; ) {
    const step = inProse(source, at, context) ?? text(at + 1, '');
    out += step.out;
    at = step.to;
  }
  return out;
}
