import type { Source } from '../core/reply.ts';

/** Words of a passage that a link names: enough to be found, few enough to stand in one block of the document. */
const WORDS = 8;
const FEWEST_WORDS = 3;
/** UTF-16 units of a passage that are searched for those words. */
const LOOKED_AT = 600;
/** Reduces Markdown to the words that a document shows: none for an image, the label for a link. */
const IMAGE = /!\[[^\]]*\]\([^)]*\)/g;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const MARKUP = /[*`>~]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;

/**
 * The address of a source, opened at its best passage: a text directive (WICG scroll-to-text-fragment) names the first
 * words of it. Browsers that do not know directives open the document as before; servers never see them.
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

/** The first line that reads like a sentence: a directive finds no text that spans two blocks. */
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

/** A hyphen has a meaning in directives. */
const encoded = (words: string): string => encodeURIComponent(words).replaceAll('-', '%2D');
