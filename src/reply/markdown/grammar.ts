import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import { formulaEnd, formulaMark, isShownBackslash } from './formula.ts';

/** Link addresses by normalized label, as lines like `[label]: address` define them. */
export type References = Record<string, { readonly href: string; readonly title: string }>;

export type { Token };

const lineBreakTag = /^<br\s*\/?>/i;

function createGrammar(): MarkdownIt {
  const grammar = createMarkdownIt('default', { html: false, linkify: true });
  // The parser keeps addresses as written. It must not refuse, encode or decode them, because renderers check them.
  grammar.validateLink = () => true;
  grammar.normalizeLink = (destination) => destination;
  grammar.normalizeLinkText = (text) => text;
  grammar.inline.ruler.before('autolink', 'line-break-tag', (state, silent) => {
    if (state.src[state.pos] !== '<') return false;
    const tag = lineBreakTag.exec(state.src.slice(state.pos, state.pos + 16))?.[0];
    if (tag === undefined) return false;
    if (!silent) state.push('hardbreak', 'br', 0);
    state.pos += tag.length;
    return true;
  });
  addFormulas(grammar);
  keepFootnotes(grammar);
  return grammar;
}

/**
 * Lets footnotes (`[^1]: Handbook.`) be text. The parser would read one that consists of a single word as a link
 * definition, which shows nothing.
 */
function keepFootnotes({ block: { ruler } }: MarkdownIt): void {
  // The last rule reads a paragraph. Names of functions do not survive in the page, which is minified.
  const paragraph = ruler.getRules('').at(-1);
  ruler.before('reference', 'footnote', (state, from, to, silent) => {
    const start = (state.bMarks[from] ?? 0) + (state.tShift[from] ?? 0);
    return state.src.startsWith('[^', start) && paragraph?.(state, from, to, silent) === true;
  });
}

const FORMULA = 'formula';

/** Returns the mark of formulas for the content of a code token. */
export const formulaOf = ({ type, info }: Token): { formula?: true } =>
  type !== 'fence' && info === FORMULA ? { formula: true } : {};

const escapable = /[!-/:-@[-`{-~]/;

/** Reads formulas as code, so that their signs stay, and keeps backslashes that escape nothing. */
function addFormulas(grammar: MarkdownIt): void {
  grammar.inline.ruler.before('escape', 'formula', (state, silent) => {
    const { src, pos, posMax } = state;
    const end = formulaEnd(src, pos, posMax);
    if (end !== undefined) {
      if (!silent) {
        const token = state.push('code_inline', 'code', 0);
        token.content = src.slice(pos, end);
        token.info = FORMULA;
      }
      state.pos = end;
      return true;
    }
    if (src[pos] !== '\\' || !escapable.test(src.charAt(pos + 1))) return false;
    if (isShownBackslash(src, pos, { limit: posMax, isWhole: true }) !== true) return false;
    if (!silent) state.pending += src.slice(pos, pos + 2);
    state.pos += 2;
    return true;
  });
  const alt = ['paragraph', 'reference', 'blockquote', 'list'];
  const formula: Parameters<typeof grammar.block.ruler.before>[2] = (state, from, to, silent) => {
    const indent = (state.sCount[from] ?? 0) - state.blkIndent;
    const line = (number: number): string =>
      state.src.slice((state.bMarks[number] ?? 0) + (state.tShift[number] ?? 0), state.eMarks[number]);
    const mark = indent >= CODE_INDENT ? undefined : formulaMark(line(from));
    if (mark === undefined) return false;
    if (silent) return true;
    let end = from + 1;
    while (end < to && !state.isEmpty(end) && (state.sCount[end] ?? 0) >= state.blkIndent)
      if (line(end++).includes(mark)) break;
    const token = state.push('code_block', 'code', 0);
    token.content = state.getLines(from, end, state.blkIndent, true);
    token.map = [from, end];
    token.info = FORMULA;
    state.line = end;
    return true;
  };
  grammar.block.ruler.before('fence', 'formula', formula, { alt });
}

/** Number of columns by which a line of code is indented. */
const CODE_INDENT = 4;

const grammar = createGrammar();

/**
 * Returns the source with LF line ends, and without NUL and characters that reverse the writing direction (attack S04).
 * The number of each line stays the same.
 */
function normalised(source: string): string {
  return source.replace(/\r\n?/g, '\n').replace(/[\0\u202d\u202e]/g, '\uFFFD');
}

/**
 * Returns the block structure of a source. Adds its link definitions to `references`, unless their labels exist there
 * already.
 */
export function blockTokens(source: string, references: References): Token[] {
  const tokens: Token[] = [];
  grammar.block.parse(normalised(source), grammar, { references }, tokens);
  return tokens;
}

/** Returns the inline tokens of one paragraph, heading or cell. */
export function inlineTokens(content: string, references: References): readonly Token[] {
  return grammar.parseInline(content, { references })[0]?.children ?? [];
}

/** Normalizes a link label, so that it can be compared with the labels of references. */
export const normalLabel = grammar.utils.normalizeReference;

/** Returns the text after a fence's marks (its info string) without escapes and entities. */
export const plainInfo = (info: string): string => grammar.utils.unescapeAll(info).trim();

/**
 * Returns the offset at which each line starts, and as the last entry the text's length. Lines end with LF, CRLF or
 * CR; a line end at the very end starts no further line.
 */
export function lineStarts(text: string): number[] {
  const starts = [0];
  const end = /\r\n?|\n/g;
  while (end.exec(text) !== null) starts.push(end.lastIndex);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/**
 * Returns the start of the last line, which may still grow. A CR at the end of the text ends no line yet, because it
 * may become CRLF.
 */
export function lastLineStart(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text[at];
    if (char === '\n' || (char === '\r' && at < text.length - 1)) return at + 1;
  }
  return 0;
}
