/** Compares two formats of a message by their words, to detect that one of them lacks words of the other. */

/** Maximum number and allowed lengths of words that are searched for as a sequence of shorter words. */
const MAX_ROWS = 20;
const MIN_ROW_UNITS = 4;
const MAX_ROW_UNITS = 100;
/** Maximum number of places that are checked for one word. */
const MAX_PLACES = 20;

/** Returns the words of a text: letters and digits, emoji, and noncharacters with the character after them. */
export const wordsIn = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\ufdd0-\ufddf].|[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu) ?? [];

/**
 * True if `whole` contains all words of `part`. A word may occur in `whole` as a sequence of shorter words, because styles
 * split words, and texts of tables may lack the spaces between cells.
 */
export function containsWords(whole: string, part: string): boolean {
  const known = wordsIn(whole);
  const set = new Set(known);
  const missing = wordsIn(part).filter((word) => !set.has(word));
  if (missing.length === 0) return true;
  const isRowLike = ({ length }: string) => length >= MIN_ROW_UNITS && length <= MAX_ROW_UNITS;
  if (missing.length > MAX_ROWS || !missing.every(isRowLike)) return false;
  const joined = known.join('');
  const ends = new Set([0]);
  let end = 0;
  for (const { length } of known) {
    end += length;
    ends.add(end);
  }
  return missing.every((word) => isRow(word, joined, ends));
}

/** True if a sequence of whole words makes up the word. `ends` contains the offsets at which words end. */
function isRow(word: string, joined: string, ends: ReadonlySet<number>): boolean {
  let at = joined.indexOf(word);
  for (let places = 0; at >= 0 && places < MAX_PLACES; places += 1) {
    if (ends.has(at) && ends.has(at + word.length)) return true;
    at = joined.indexOf(word, at + 1);
  }
  return false;
}

/** Minimum length of a beginning that counts as the whole text, in UTF-16 units. */
const BEGINNING = 20;

/** True if the texts have the same letters, or one is the beginning of the other. */
export function saysTheSame(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other]
    .map((text) => wordsIn(text).join(''))
    .toSorted((first, second) => first.length - second.length);
  return short === long || (short.length >= BEGINNING && long.startsWith(short));
}
