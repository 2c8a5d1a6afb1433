/**
 * Reads what may stand at the start of a line: quote marks, list marks, a checkbox, a heading, a horizontal line, a
 * fence.
 */

import { type Fence, fenceOut, leadEnd, openedFence } from '../fences.ts';
import { formulaMark, mayBeginLines } from '../formula.ts';
import { isWholeLine, MAX_HOLD_CHARS, runEnd, type Window } from '../scan.ts';
import { type Dialect, type EmitContext, type Step, type StreamState, text } from './emission.ts';
import { asWords, bracketless, carried } from './escape.ts';
import { lineEndAt, opener, stretch } from './prose.ts';

type LineStart =
  | { readonly kind: 'text' | 'heading'; readonly to: number; readonly out: string }
  /** The first line of a formula of several lines, which `mark` ends. */
  | { readonly kind: 'formula'; readonly to: number; readonly out: string; readonly mark: string }
  /** A code fence. `to` is the end of the line that opens it; `out` is how that line is written. */
  | { readonly kind: 'fence'; readonly to: number; readonly out: string; readonly fence: Fence };

/** Matches text that the next character may turn into a list mark. */
const half = /^(?:[-*+]|\d{1,9}[.)]?)$/;

/** Reads the construct at the start of the line at `at`; `held` if more text must arrive first. */
export function lineStart(window: Window, at: number, dialect: Dialect): LineStart | 'held' {
  const rule = ruleOrNothing(window, at, dialect);
  if (rule !== undefined) return rule;
  const { source, end, closed } = window;
  const to = leadEnd(source, at, end);
  const rest = source.slice(to, Math.min(end, to + 16));
  if (!closed && (rest === '' || half.test(rest))) return 'held';
  const lead = source.slice(at, to);
  if (mayBeginLines(rest) && !lead.includes('>')) {
    if (!closed) return 'held';
    const line = source.slice(to, end);
    const mark = isWholeLine(window) ? formulaMark(line) : undefined;
    if (mark !== undefined)
      return { kind: 'formula', to: end, out: leadOut(lead) + formulaLine(line, dialect), mark };
  }
  if (source[to] === '`' || source[to] === '~') return fenceOrText(window, at, to, dialect);
  const box = taskBox(lead, rest, closed);
  if (box === 'held') return 'held';
  if (box !== '') return { kind: 'text', to: to + box.length, out: leadOut(lead) + boxOut(box, dialect) };
  return headingOrText(window, at, to, dialect);
}

/** Writes a line of a formula as plain words, so that it neither formats text nor begins a block. */
const formulaLine = (line: string, { prose }: Dialect): string =>
  prose(
    asWords(line)
      .replace(/^ ?(?=[-+=])/, '$&\\')
      .replace(/^( ?\d{1,9})(?=[.)])/, '$1\\'),
  );

/** Writes the next line of a formula of several lines. A blank line ends the formula, too. */
export function inFormula(
  source: string,
  { at, fresh, formula }: Pick<StreamState, 'at' | 'fresh'> & { readonly formula: string },
  { lookAhead, ended, dialect }: EmitContext,
): Step | undefined {
  const { end, closed } = lookAhead.window(at);
  const line = source.slice(at, end);
  if (fresh && closed && line.trim() === '') return { to: at, out: '', fresh };
  const next = lineEndAt(source, at, ended);
  if (next === 'held' || (next === undefined && !closed)) return undefined;
  if (next !== undefined) return { to: next, out: '\n', fresh: true, formula };
  const step = text(end, formulaLine(line, dialect));
  return line.includes(formula) ? step : { ...step, formula };
}

/** Leaves each `>` that marks a quote at the start of a line unchanged, and escapes all other angle brackets. */
function leadOut(lead: string): string {
  const quotes = /^[ \t>]*/.exec(lead)?.[0] ?? '';
  return quotes + bracketless(lead.slice(quotes.length));
}

/** Returns the checkbox of a task; empty if there is none. A space must follow the box. */
function taskBox(lead: string, rest: string, closed: boolean): string | 'held' {
  if (!/[-*+.)][ \t]+$/.test(lead) || rest[0] !== '[') return '';
  const found = /^\[[ xX]\](?=[ \t])/.exec(rest);
  if (found !== null) return found[0];
  return !closed && /^\[(?:[ xX]\]?)?$/.test(rest) ? 'held' : '';
}

const boxOut = (box: string, { task }: Dialect): string => (task === undefined ? box : task(box[1] !== ' '));

/**
 * Matches a horizontal line. Also matches a line of two or more equal signs, which would make the line above it a
 * heading.
 */
const wholeRule = /^([ \t>]*)(?:([-*_])(?:[ \t]*\2){2,}|={2,})[ \t]*$/;
/** Matches shorter lines of dashes or equal signs, which would still make the line above them a heading. */
const underline = /^([ \t>]*)([-=])(-?[ \t]*)$/;
const halfRule = /^[ \t>]*(?:([-*_=])(?:[ \t]*\1)*)?[ \t]*$/;

function ruleOrNothing(window: Window, at: number, { rule }: Dialect): LineStart | 'held' | undefined {
  if (rule === undefined) return undefined;
  const { source, end, closed } = window;
  const line = source.slice(at, end);
  if (line.trim() === '' || !halfRule.test(line)) return undefined;
  if (!closed) return 'held';
  if (!isWholeLine(window)) return undefined;
  const [whole, lead = ''] = wholeRule.exec(line) ?? [];
  // Adds a blank line before and after, so that neighbouring text does not become part of the horizontal line.
  if (whole !== undefined) return { kind: 'text', to: end, out: `${lead}\n${lead}${rule}\n${lead}` };
  const [, before = '', mark, after = ''] = underline.exec(line) ?? [];
  return mark === undefined ? undefined : { kind: 'text', to: end, out: `${before}\\${mark}${after}` };
}

/** Matches an indentation of four columns, which turns a line into code. */
const codeIndent = /^[ \t]{4}/;
const signs = /^#{1,6}(?=\s|$)/;
const nothing = /^\s*#*\s*$/;

function headingOrText(window: Window, at: number, to: number, dialect: Dialect): LineStart | 'held' {
  const { source, end, closed } = window;
  const lead = source.slice(at, to);
  const plain: LineStart = { kind: 'text', to, out: leadOut(lead) };
  if (dialect.heading === undefined || source[to] !== '#' || codeIndent.test(lead)) return plain;
  if (runEnd(source, to, end) === end && !closed) return 'held';
  const found = signs.exec(source.slice(to, end));
  if (found === null) return plain;
  const words = source.slice(to + found[0].length, end);
  if (nothing.test(words)) return closed ? { kind: 'text', to: end, out: leadOut(lead) } : 'held';
  const from = end - words.trimStart().length;
  return { kind: 'heading', to: from, out: leadOut(lead) + dialect.heading };
}

/** Returns the language that a fence names; empty if the name is long or contains special characters. */
function languageOf(info: string, { language }: Dialect): string {
  const name = /^[ \t]*([A-Za-z0-9+#._-]{1,30})/.exec(info)?.[1];
  return name === undefined ? '' : language(name);
}

/** Returns the line that opens the fence again in the next message. */
export function reopening(source: string, fence: Fence, dialect: Dialect): string {
  const line = /^[^\r\n]*/.exec(source.slice(fence.from))?.[0] ?? '';
  const info = line.slice(line.indexOf(fence.mark)).replace(/^[`~]+/, '');
  return `${fenceOut(fence)}${languageOf(info, dialect)}\n`;
}

function fenceOrText(window: Window, at: number, to: number, dialect: Dialect): LineStart | 'held' {
  const { source, end, closed } = window;
  const run = runEnd(source, to, end);
  const lead = source.slice(at, to);
  if (run === end && !closed) return 'held';
  const fence = openedFence(window, at, to);
  if (fence === undefined) return { kind: 'text', to, out: leadOut(lead) };
  if (!closed) return 'held';
  if (!isWholeLine(window))
    return { kind: 'text', to: run, out: leadOut(lead) + `\\${fence.mark}`.repeat(fence.size) };
  // A list mark before the fence is written on a line of its own.
  const before = /[^ \t>]/.test(lead) ? `${leadOut(lead).trimEnd()}\n` : '';
  const out = `${before}${fenceOut(fence)}${languageOf(source.slice(run, end), dialect)}`;
  return { kind: 'fence', to: end, out, fence };
}

/** Matches characters that end a run of plain text inside a heading. */
const special = /[\\`[!<>*#~\s\ud800-\udfff]/g;
/** Matches the invisible end of a heading: spaces and number signs after its text. */
const tail = /[^\S\r\n]+(?:#+[^\S\r\n]*)?/y;

export function inHeading(source: string, at: number, context: EmitContext): Step | undefined {
  const { ended, dialect } = context;
  const to = stretch(source, at, special);
  if (to > at) return going(text(to, dialect.prose(carried(source.slice(at, to)))));
  const end = lineEndAt(source, at, ended);
  if (end === 'held') return undefined;
  if (end !== undefined) return { to: end, out: `${dialect.heading ?? ''}\n`, fresh: true };
  if (source[at] === '*') return going(stars(source, at, context));
  return going(/[\s#]/.test(source[at] ?? '') ? gap(source, at, context) : opener(source, at, context));
}

const going = (step: Step | undefined): Step | undefined => step && { ...step, heading: true };

/** Writes spaces and number signs inside a heading. At the end of the heading they are dropped, as in Markdown. */
function gap(source: string, at: number, { ended }: EmitContext): Step | undefined {
  if (source[at] === '#') return text(at + 1, '#');
  tail.lastIndex = at;
  const found = tail.exec(source)?.[0] ?? '';
  const end = at + Math.min(found.length, MAX_HOLD_CHARS);
  if (end === source.length && !ended && end < at + MAX_HOLD_CHARS) return undefined;
  const shows = end < source.length && source[end] !== '\n' && source[end] !== '\r';
  const spaces = found.length - found.trimStart().length;
  return shows ? text(at + spaces, carried(found.slice(0, spaces))) : text(end, '');
}

/** Drops bold marks inside a heading, because the heading is written as bold text, which these marks would end. */
function stars(source: string, at: number, { lookAhead }: EmitContext): Step | undefined {
  const { end, closed } = lookAhead.window(at);
  const run = runEnd(source, at, end);
  if (run === end && !closed) return undefined;
  const alone = /\s/.test(source[at - 1] ?? ' ') && /\s/.test(source[run] ?? ' ');
  if (alone) return text(run, '\\*'.repeat(run - at));
  return text(run, (run - at) % 2 === 1 ? '*' : '');
}
