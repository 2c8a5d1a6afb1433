/** Neutralises names and titles, which people or documents choose. Pure. */

/**
 * Matches characters that cannot be seen or that reorder the text around them. Joiners and variation selectors are left
 * out, because emoji and several scripts need them.
 */
const HIDDEN =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const VISIBLE = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
/** Matches characters that open or close a stretch of text with another writing direction. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** True if the text contains characters that cannot be seen or that reorder it (attack S30). */
export const hides = (text: string): boolean => text.search(HIDDEN) >= 0;

/** True if people can see the text as it is, and it contains a letter, a digit or an emoji. */
export const isVisible = (text: string): boolean => !hides(text) && VISIBLE.test(text);

/** Returns the text as one line without characters that cannot be seen or that reorder it. */
export const visibleLine = (text: string): string =>
  text.toWellFormed().replace(/\s+/g, ' ').replace(HIDDEN, '').trim();

/** Returns the first of the names that shows something, as one line; otherwise the id. */
export function visibleName(names: readonly (string | undefined)[], id: string): string {
  const lines = names.map((name = '') => visibleLine(name).slice(0, NAME_CHARS).toWellFormed());
  return lines.find((line) => isVisible(line)) ?? id;
}

/** Maximum UTF-16 units of a person's name. */
const NAME_CHARS = 200;

/** Returns text of several lines without characters that change its writing direction. */
export const withoutTurns = (text: string): string => text.replace(TURNS, '');

/** Letters of other scripts that look like Latin ones, each followed by the Latin letter. */
const PAIRS =
  'аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwӏlкkмmтtвbнhгrпnαaβbεeιiκkνvοoρpτtυuχxγyωwηnμmօoսuոnհhցgզqɑaɡgıiℓl';
const LATIN: ReadonlyMap<string, string> = new Map(
  [...PAIRS].flatMap((letter, at, all) => (at % 2 === 0 ? [[letter, all[at + 1] ?? letter] as const] : [])),
);

/** Returns a form that is equal for names that look alike. It is only for comparing. */
export function skeleton(name: string): string {
  const folded = name
    .normalize('NFKD')
    .replace(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
  return [...folded]
    .map((letter) => LATIN.get(letter) ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replace(/[1|i!]/g, 'l')
    .replaceAll('0', 'o')
    .replace(/[\s._-]+/g, '-');
}
