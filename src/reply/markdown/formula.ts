/**
 * Finds formulas in TeX, and words such as paths and patterns whose backslashes escape nothing. The parser and the writer
 * of growing text share these rules. Pure.
 */

/** Maximum length of a formula on one line, and of the part of a word that is read, in UTF-16 units. */
const FORMULA_CHARS = 1_024;
const WORD_CHARS = 200;

const brackets: Readonly<Record<string, string>> = { '\\(': '\\)', '\\[': '\\]', $$: '$$' };
/** Matches what tells a formula from words in escaped brackets, such as `\[see below\]`. */
const sign = /^\s|[\\^_=+<>]/;
/** Matches a formula that is one symbol, or that contains a bracket. In escaped words, the bracket would be escaped. */
const short = /^[\p{L}\d]{1,2}$|(?<!\\)[()!|]/u;
const visible = /[\p{L}\p{N}]/u;

/** Returns the end of the formula that begins at `at` and ends on the same line, before `limit`. */
export function formulaEnd(text: string, at: number, limit: number): number | undefined {
  const begin = text.slice(at, at + 2);
  const end = brackets[begin];
  if (end === undefined) return text[at] === '$' ? dollarEnd(text, at, limit) : undefined;
  const to = closingAt(text, { from: at + 2, to: Math.min(limit, at + FORMULA_CHARS) }, end);
  if (to === undefined) return undefined;
  const inner = text.slice(at + 2, to);
  if (!visible.test(inner)) return undefined;
  const isShort = begin === '\\(' && short.test(inner) && !/[\w\]]/.test(text.charAt(at - 1));
  return begin === '$$' || isShort || sign.test(inner) ? to + 2 : undefined;
}

/** True if a formula may begin at `at` and end in text that has not arrived. `limit` is the end of the text. */
export function mayBeginFormula(text: string, at: number, limit: number): boolean {
  const rest = text.slice(at, Math.min(limit, at + PRICE_CHARS));
  if (rest === '\\' || brackets[rest.slice(0, 2)] !== undefined) return true;
  return (
    rest[0] === '$' && !follows.test(text.charAt(at - 1)) && (halfPrice.test(rest) || opensDollar.test(rest))
  );
}

/** Returns where the closing mark stands; undefined if the line or the range ends before it. Skips escaped characters. */
function closingAt(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  mark: string,
): number | undefined {
  for (let at = from; at < to; at += text[at] === '\\' ? 2 : 1) {
    if (text.startsWith(mark, at)) return at + mark.length <= to ? at : undefined;
    if (text[at] === '\n' || text[at] === '\r') return undefined;
  }
  return undefined;
}

/**
 * Matches a dollar sign that may begin a formula: before a sign of TeX or a letter, or before a number that goes on as
 * TeX. All other numbers after a dollar sign are prices.
 */
const opensDollar = /^\$(?:[^\s$\d]|\d+(?:[.,]\d+)? ?[\\^_])/;
const halfPrice = /^\$(?:\d+(?:[.,]\d*)? ?)?$/;
const PRICE_CHARS = 32;
/** Matches a character beside which a dollar sign neither begins nor ends a formula. */
const follows = /[\w$\\]/;
/** Matches what tells a formula between single dollar signs from words, such as names of variables of a shell. */
const dollarSign = /[\\^_={}<>]|^\S*[*+~]\S*$/;

function dollarEnd(text: string, at: number, limit: number): number | undefined {
  if (follows.test(text.charAt(at - 1)) || !opensDollar.test(text.slice(at, at + PRICE_CHARS)))
    return undefined;
  const to = closingAt(text, { from: at + 1, to: Math.min(limit, at + FORMULA_CHARS) }, '$');
  if (to === undefined || follows.test(text.charAt(to + 1))) return undefined;
  const inner = text.slice(at + 1, to);
  return dollarSign.test(inner) && !/\s$|`/.test(inner) ? to + 1 : undefined;
}

/**
 * Returns the mark that ends the formula which this line begins and later lines continue; undefined if it begins none. A
 * blank line ends such a formula, too.
 * @param line the whole line, without marks of quotes and lists
 */
export function formulaMark(line: string): string | undefined {
  const [, begin = '', name, rest = ''] =
    /^(\\\[|\$\$|\\begin\{(\w{1,40}\*?)\})(.*)$/s.exec(line.trimEnd()) ?? [];
  const end = name === undefined ? brackets[begin] : `\\end{${name}}`;
  if (end === undefined || rest.includes(end)) return undefined;
  return rest === '' || name !== undefined || (begin === '$$' ? dollarSign : sign).test(rest)
    ? end
    : undefined;
}

const openers = ['\\[', '$$', '\\begin{'];

/** True if a line that begins so may begin a formula of several lines. */
export const mayBeginLines = (rest: string): boolean =>
  rest !== '' && openers.some((each) => each.startsWith(rest) || rest.startsWith(each));

/** Matches a character after a backslash that the backslash cannot escape. */
const unescapable = /[^\s!-/:-@[-`{-~]/;
const drive = /^["'(*_]*[A-Za-z]:\\(?!\\)/;

/**
 * True if the backslash at `at` is shown, although the character after it could be escaped: in a path of Windows, or in
 * a word such as `\d+\.\d+` that contains a backslash which escapes nothing. The author of such a word did not escape.
 * Undefined if that depends on text that has not arrived.
 * @param limit end of the text; `isWhole` is true if the word cannot go on after it
 */
export function isShownBackslash(
  text: string,
  at: number,
  { limit, isWhole }: { readonly limit: number; readonly isWhole: boolean },
): boolean | undefined {
  let from = at;
  while (from > 0 && at - from < WORD_CHARS && !/[\s|]/.test(text.charAt(from - 1))) from -= 1;
  if (drive.test(text.slice(from, at + 2))) return true;
  const most = Math.min(limit, at + WORD_CHARS);
  for (let next = from; next < most; next += text[next] === '\\' ? 2 : 1) {
    if (/[\s|]/.test(text.charAt(next))) return false;
    if (text[next] === '\\' && next + 1 < most && unescapable.test(text.charAt(next + 1))) return true;
  }
  return isWhole || most < limit ? false : undefined;
}
