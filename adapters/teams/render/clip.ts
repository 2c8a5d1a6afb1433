/** Shortens texts without cutting a word, or a character that consists of several code points. */

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** UTF-16 units that are read after the limit, to see where its word ends. */
const LOOK_AHEAD = 64;

/**
 * Returns the text. If it is longer than `limit` UTF-16 units, cuts it to at most `limit` units including an ellipsis:
 * after a word, or inside a word that fills half of them.
 */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const part = text.slice(0, limit + LOOK_AHEAD);
  const startOf = (segments: Intl.Segmenter): number =>
    segments.segment(part).containing(limit - 1)?.index ?? 0;
  const word = startOf(words);
  const end = word > limit / 2 ? word : startOf(characters) || limit - 1;
  return `${part.slice(0, end).trimEnd().toWellFormed()}…`;
}
