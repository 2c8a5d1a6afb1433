/**
 * Makes the root entity of an answer: the label "AI generated", the citations, and a label for private answers (Teams
 * documentation of AI-generated bot messages). If a message has two root entities, Teams refuses it with status 400.
 */

import {
  carried,
  marksIn,
  type NumberedSource,
  type Plain,
  passageText,
  scoreOf,
  shortened,
} from '../../../src/kit/ladder.ts';
import { defined, type ReplyDocument, type Source, sourceTitle } from '../../../src/kit.ts';
import { httpsOnly, label, openUrl } from './runs.ts';
import { words } from './words.ts';

/** Limits in Teams' documentation: maximum numbers of citations and keywords, and maximum characters of texts. */
const MAX_CITATIONS = 20;
const NAME_CHARS = 80;
const ABSTRACT_CHARS = 160;
const MAX_KEYWORDS = 3;
const KEYWORD_CHARS = 28;
/**
 * Maximum UTF-16 units of all addresses in citations together. A signed address has many hundreds of units. Citations
 * beyond this limit have no link; the card contains the links as well.
 */
const ADDRESS_UNITS = 6_000;

/** @param text text of the message, as people see it */
export function rootEntity(text: string, sources: readonly NumberedSource[], isPrivate: boolean): Plain {
  const citation = citations(text, sources);
  return {
    type: 'https://schema.org/Message',
    '@type': 'Message',
    '@context': 'https://schema.org',
    '@id': '',
    additionalType: ['AIGeneratedContent'],
    ...(isPrivate && { usageInfo }),
    ...(citation.length > 0 && { citation }),
  };
}

const usageInfo: Plain = {
  '@type': 'CreativeWork',
  name: words.onlyForYou,
  description: words.answeredWithYourRights,
};

/** Returns the sources to cite, each with its link; without it if Teams would not accept the link. */
function citedOf(sources: readonly NumberedSource[], isIn: (source: NumberedSource) => boolean) {
  let left = ADDRESS_UNITS;
  return sources
    .filter(isIn)
    .slice(0, MAX_CITATIONS)
    .map((cited) => {
      const url = httpsOnly(cited.source.link);
      left -= url?.length ?? 0;
      return { cited, url: left < 0 ? undefined : url };
    });
}

/**
 * Returns the sources to list under the answer: those that the text does not cite, and those whose link Teams does not
 * show. At the number of every other source in the text, Teams shows its title and its link.
 */
export function uncited(
  { text }: Pick<ReplyDocument, 'text'>,
  sources: readonly NumberedSource[],
): readonly NumberedSource[] {
  if (sources.length === 0) return [];
  const inText = new Set(marksIn(text));
  const whole = citedOf(sources, ({ marks }) => marks.some((mark) => inText.has(mark)))
    .filter(({ cited, url }) => url !== undefined || openUrl(cited.source.link) === undefined)
    .map(({ cited }) => cited);
  return sources.filter((each) => !whole.includes(each));
}

/** Returns citations for the sources whose numbers appear in the text. */
function citations(text: string, sources: readonly NumberedSource[]): readonly Plain[] {
  if (sources.length === 0) return [];
  const inText = new Set(marksIn(text));
  return citedOf(sources, ({ number }) => inText.has(number)).map(({ cited, url }) => ({
    '@type': 'Claim',
    position: cited.number,
    appearance: { ...appearance(cited.source, cited.number), ...defined({ url }) },
  }));
}

function appearance(source: Source, number: number): Plain {
  const name = label(sourceTitle(source, number), NAME_CHARS, words.untitled);
  const [best] = source.fragments;
  const image = iconOf(source);
  return {
    '@type': 'DigitalDocument',
    name,
    abstract: label(best === undefined ? '' : passageText(best.text), ABSTRACT_CHARS, name),
    ...keywordsOf(source),
    ...(image !== undefined && { image: { '@type': 'ImageObject', name: image } }),
  };
}

/** Returns a source's kind and score, if they are known. */
export const factsOf = ({ kind, score }: Source): readonly string[] =>
  [kind === 'other' ? '' : kind, scoreOf(score)].filter(Boolean);

function keywordsOf(source: Source): { keywords?: readonly string[] } {
  const keywords = factsOf(source)
    .slice(0, MAX_KEYWORDS)
    .map((each) => shortened(carried(each), KEYWORD_CHARS));
  return keywords.length === 0 ? {} : { keywords };
}

/** Teams' name for the icon of each file type, by the ending of the file's name. */
const icons: readonly (readonly [RegExp, string])[] = [
  [/\.docx?$/i, 'Microsoft Word'],
  [/\.(?:xlsx?|csv)$/i, 'Microsoft Excel'],
  [/\.pptx?$/i, 'Microsoft PowerPoint'],
  [/\.pdf$/i, 'PDF'],
  [/\.gif$/i, 'GIF'],
  [/\.(?:png|jpe?g|webp|bmp|svg)$/i, 'Image'],
  [/\.(?:mp4|mov|webm)$/i, 'Video'],
  [/\.(?:mp3|wav|ogg)$/i, 'Sound'],
  [/\.zip$/i, 'ZIP'],
  [/\.(?:txt|md|html?)$/i, 'Text'],
  [/\.(?:ts|js|py|java|go|rs|c|cpp|cs|json|ya?ml)$/i, 'Source Code'],
];

function iconOf({ title, kind }: Source): string | undefined {
  const found = icons.find(([ending]) => ending.test(title.trim()));
  return found?.[1] ?? (kind === 'image' ? 'Image' : undefined);
}
