import { MEANINGS, meaningsOf } from './meanings.ts';

/**
 * Length of a vector. Fewer would do for a handful of documents; among 10,000 passages the chance meetings of features
 * in one place outweigh the faint likeness of a paraphrase: measured there, 512 places find 65 % of what 2,000 find.
 * Two vectors of this length share a page of the database.
 */
export const DIMENSIONS = 1984;

/** Where a term appears in a vector, and with which sign and weight. The first place is the term's very own. */
export interface Features {
  readonly places: Uint16Array;
  readonly weights: Float32Array;
}

/** What a term puts into a vector: itself, its meanings, and pieces of it, by which misspelt words still meet. */
const WORD_WEIGHT = 1;
const MEANING_WEIGHT = 1;
const LETTERS_WEIGHT = 0.3;
const HAN_WEIGHT = 0.3;
/** Letters of one piece, and of the shortest word that is cut up. */
const PIECE = 3;
const CUT_FROM = 4;
/** Letters of a word that count; what is longer is data, and neither cut up further nor remembered. */
const LONGEST = 40;

const HAN = /\p{Script=Han}/u;
const SPACED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\d]+$/u;

/** Terms whose features are remembered; a language's usual words, so that indexing hashes each of them once. */
const REMEMBERED = 50_000;
const remembered = new Map<string, Features>();

export function featuresOf(term: string): Features {
  const known = remembered.get(term);
  if (known !== undefined) return known;
  if (remembered.size >= REMEMBERED) remembered.clear();
  const made = makeFeatures(term);
  if (term.length <= LONGEST) remembered.set(term, made);
  return made;
}

interface Feature {
  readonly place: number;
  readonly weight: number;
}

function makeFeatures(term: string): Features {
  const meanings = meaningsOf(term).map(({ line, share }) =>
    feature(`meaning ${line}`, MEANING_WEIGHT * share),
  );
  const made = [feature(`word ${term}`, WORD_WEIGHT), ...meanings, ...letterFeatures(term)];
  return {
    places: Uint16Array.from(made, ({ place }) => place),
    weights: Float32Array.from(made, ({ weight }) => weight),
  };
}

function letterFeatures(term: string): readonly Feature[] {
  if (!SPACED.test(term))
    return [...term]
      .slice(0, LONGEST)
      .filter((one) => HAN.test(one))
      .map(hanFeature);
  if (term.length < CUT_FROM) return [];
  const framed = `^${term.slice(0, LONGEST)}$`;
  const pieces = Array.from({ length: framed.length - PIECE + 1 }, (_, at) => framed.slice(at, at + PIECE));
  const weight = LETTERS_WEIGHT / Math.sqrt(pieces.length);
  return pieces.map((piece) => feature(`letters ${piece}`, weight));
}

const hanFeature = (character: string): Feature => feature(`letters ${character}`, HAN_WEIGHT);

function feature(name: string, weight: number): Feature {
  const hashed = hash(name);
  return { place: (hashed >>> 1) % DIMENSIONS, weight: (hashed & 1) === 0 ? weight : -weight };
}

/** FNV-1a over UTF-16 units, mixed as in MurmurHash3: the same on every machine, so that stored vectors stay valid. */
function hash(text: string): number {
  let mixed = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Changes whenever the same text would get another vector; kept vectors of another recipe are made anew. */
export const RECIPE = hash(
  [
    MEANINGS,
    DIMENSIONS,
    WORD_WEIGHT,
    MEANING_WEIGHT,
    LETTERS_WEIGHT,
    HAN_WEIGHT,
    PIECE,
    CUT_FROM,
    LONGEST,
  ].join(' '),
);
