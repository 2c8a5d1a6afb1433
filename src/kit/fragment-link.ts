import type { Source } from '../core/reply.ts';

/**
 * Maximum number of quoted words: enough to find the passage, and so few that they are probably in one block of the
 * document.
 */
const WORDS = 8;
const FEWEST_WORDS = 3;
/** Number of UTF-16 units at the start of a passage in which the words to quote are looked for. */
const LOOKED_AT = 600;
/** Match what a document does not show as words: an image as a whole, a link except its label, and other markup. */
const IMAGE = /!\[[^\]]*\]\([^)]*\)/g;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const MARKUP = /[*`>~]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;

/**
 * Returns the source's address with a text directive (WICG scroll-to-text-fragment) that quotes the best passage, so
 * that the browser scrolls to it. Browsers that do not support directives open the document as usual; servers never
 * receive the directive.
 */
export function fragmentLink({
  link,
  fragments: [best],
}: Pick<Source, 'link' | 'fragments'>): string | undefined {
  const words = best === undefined ? undefined : firstWords(best.text);
  if (link === undefined || words === undefined || !/^https?:/i.test(link) || link.includes(':~:'))
    return link;
  return `${link}${link.includes('#') ? '' : '#'}:~:text=${encoded(words)}`;
}

/**
 * Returns words from the first line with at least three words. Uses only one line, because a directive cannot match
 * text that spans two blocks.
 */
function firstWords(passage: string): string | undefined {
  const lines = passage
    .slice(0, LOOKED_AT)
    .split('\n')
    .filter((line) => !/^\s*[#|]/.test(line));
  const all = lines.map((line) => plainLine(line).split(/\s+/).filter(Boolean));
  const found = all.find((words) => words.length >= FEWEST_WORDS);
  return found?.slice(0, WORDS).join(' ').toWellFormed();
}

const plainLine = (line: string): string => line.replace(IMAGE, ' ').replace(LINK, '$1').replace(MARKUP, '');

/** Percent-encodes words, including hyphens, which are syntax in directives. */
const encoded = (words: string): string => encodeURIComponent(words).replaceAll('-', '%2D');
