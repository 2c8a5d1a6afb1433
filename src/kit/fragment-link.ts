import type { Source } from '../core/reply.ts';

/**
 * Maximum number of words that a link quotes: enough to find the passage, and few enough to lie within one
 * block of the document.
 */
const WORDS = 8;
const FEWEST_WORDS = 3;
/** Length of the beginning of a passage in which the quoted words are searched, in UTF-16 units. */
const LOOKED_AT = 600;
/** Reduces Markdown to the words that a document shows: none for an image, the label for a link. */
const IMAGE = /!\[[^\]]*\]\([^)]*\)/g;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const MARKUP = /[*`>~]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;

/**
 * The source's address with a text directive (WICG scroll-to-text-fragment) that quotes its best passage, so that the
 * browser scrolls there. Browsers without directives open the document as usual; servers never receive the directive.
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

/** Takes the first line with at least three words, because a directive cannot match text that spans two blocks. */
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

/** Encodes hyphens too, because they are syntax in directives. */
const encoded = (words: string): string => encodeURIComponent(words).replaceAll('-', '%2D');
