import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';

/** Destinations by normalized label, as `[label]: destination` lines define them. */
export type References = Record<string, { readonly href: string; readonly title: string }>;

export type { Token };

const lineBreakTag = /^<br\s*\/?>/i;

function createGrammar(): MarkdownIt {
  const grammar = createMarkdownIt('default', { html: false, linkify: true });
  // Destinations are plain data here. Renderers check them, so the parser must not refuse, encode or decode
  // them.
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
  return grammar;
}

const grammar = createGrammar();

/** Returns the source with LF line ends and without NUL, keeping every line in its place. */
function normalised(source: string): string {
  return source.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
}

/** Returns the block structure of a source. Adds definitions with new labels to `references`. */
export function blockTokens(source: string, references: References): Token[] {
  const tokens: Token[] = [];
  grammar.block.parse(normalised(source), grammar, { references }, tokens);
  return tokens;
}

/** Returns the inline tokens of one paragraph, heading or cell. */
export function inlineTokens(content: string, references: References): readonly Token[] {
  return grammar.parseInline(content, { references })[0]?.children ?? [];
}

/** Normalizes a label for the comparison with references. */
export const normalLabel = grammar.utils.normalizeReference;

/** Returns the info string of a fence without escapes and entities. */
export const plainInfo = (info: string): string => grammar.utils.unescapeAll(info).trim();

/**
 * Returns the start of each line; lines end with LF, CRLF or CR. The last entry is the text's length; a line end at the
 * very end begins no further line.
 */
export function lineStarts(text: string): number[] {
  const starts = [0];
  const end = /\r\n?|\n/g;
  while (end.exec(text) !== null) starts.push(end.lastIndex);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/** Returns the start of the last line, which may still grow. A CR at the very end may become CRLF, so it ends no line yet. */
export function lastLineStart(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text[at];
    if (char === '\n' || (char === '\r' && at < text.length - 1)) return at + 1;
  }
  return 0;
}
