import type { ComponentChild } from 'preact';
import temml from 'temml';
import { builtFrom } from './library-markup.ts';

/** Maximum length of a formula in characters. */
const MAX_CHARS = 4_000;

/** Matches commands that define other commands. They could make a short formula expand to a very long one. */
const defines =
  /\\(?:[egx]?def|(?:future)?let|(?:re)?newcommand|providecommand|DeclareMathOperator)(?![a-zA-Z])/;
/** Matches a formula and the signs around it. */
const signs = /^(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$|(\\begin.*\\end\{\w+\*?\}))$/s;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const tags = words(
  'math mi mo mn ms mtext mspace mrow mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd menclose none span',
);
const attributes = words(
  'class style display displaystyle scriptlevel mathvariant mathsize mathcolor mathbackground width height depth voffset lspace rspace minsize maxsize linethickness fence form largeop movablelimits separator stretchy symmetric accent notation columnalign rowspacing',
);

const maxSize: [number, number] = [20, 400];
const limits = { throwOnError: true, trust: false, maxSize, maxExpand: 1_000 };

/** True if a formula is shown on lines of its own. */
export const isDisplayed = (source: string): boolean => /^(?:\\\[|\$\$|\\begin)/.test(source);

/**
 * Returns a formula in TeX as MathML elements, which need no inline styles in HTML; undefined if it cannot be shown, so
 * that people see its source.
 * @param source the formula with the signs around it
 */
export function formula(source: string): ComponentChild[] | undefined {
  const [, ...parts] = signs.exec(source.trim()) ?? [];
  const inner = parts.find((part) => part !== undefined);
  if (inner === undefined || inner.length > MAX_CHARS || defines.test(inner)) return undefined;
  try {
    const markup = temml.renderToString(inner, { ...limits, displayMode: isDisplayed(source) });
    return builtFrom(markup, tags, attributes);
  } catch {
    return undefined;
  }
}
