import meanings from './meanings.json' with { type: 'json' };
import stop from './stop-words.json' with { type: 'json' };
import { termsOf } from './terms.ts';

/** A meaning that a term has. */
interface Meaning {
  /** Number of the meaning's line in `meanings.json`. */
  readonly line: number;
  /**
   * How much of the meaning the term carries, from 0 to 1. A word that is split into several terms, such as pairs of
   * characters, divides the meaning equally among them.
   */
  readonly share: number;
}

/**
 * Synonyms in the languages that people mix at work: English, Chinese and Japanese. Each line is one meaning. With
 * them, a passage can match a question without sharing a word with it.
 */
const lines = meanings.map((line) => line.split(/\s+/).map(termsOf));

const byTerm = new Map<string, Meaning[]>();
for (const [line, words] of lines.entries()) {
  for (const terms of words) for (const term of terms) learn(term, { line, share: 1 / terms.length });
}

function learn(term: string, meaning: Meaning): void {
  const known = byTerm.get(term) ?? [];
  if (!known.some(({ line }) => line === meaning.line)) byTerm.set(term, [...known, meaning]);
}

/** Returns the meanings of a term; most terms have none. */
export const meaningsOf = (term: string): readonly Meaning[] => byTerm.get(term) ?? [];

/** Returns all terms that have the meaning in this line of `meanings.json`. */
export const termsOfMeaning = (line: number): readonly string[] => [...new Set((lines[line] ?? []).flat())];

/** Vector of a text. Each term adds to a few dimensions, which depend only on the term's letters. */
export type Vector = Float32Array;

/**
 * Number of dimensions of a vector. A few documents need fewer. With many passages and too few dimensions, terms share
 * a dimension by accident, and this outweighs the weak similarity of a paraphrase. Measured with 10,000 passages and a
 * search by vectors only: the first five passages contain the answer to 79 % of the recorded questions with 480
 * dimensions, to 85 % with 992, and to 89 % with 1,984. With 1,984 dimensions, two vectors fit into a page of the
 * database.
 */
export const DIMENSIONS = 1984;

/**
 * Weights of what a term adds to a vector: the word itself, its meanings, and pieces of the word, which let misspelt
 * words match.
 */
const WORD_WEIGHT = 1;
const MEANING_WEIGHT = 1;
const LETTERS_WEIGHT = 0.3;
const CHARACTER_WEIGHT = 0.3;
/** Number of letters in a piece, and minimum number of letters of a word that is split into pieces. */
const PIECE = 3;
const CUT_FROM = 4;
/** Maximum letters of a word that is split into pieces. A longer one is data, not a word. */
const LONGEST = 40;

/**
 * Seeds of the hash. With different seeds, a word, a meaning and a piece get different dimensions even if their letters
 * are the same.
 */
const WORD_SEED = 0x811c9dc5;
const MEANING_SEED = 0x2b7e1516;
const LETTERS_SEED = 0x5bd1e995;

/**
 * Adds a term's own dimension. The dimension is computed each time, because that is faster than looking it up among
 * tens of thousands of terms.
 */
export function addOwn(vector: Vector, term: string, strength: number): void {
  addAt(vector, hash(WORD_SEED, term, 0, term.length), WORD_WEIGHT * strength);
}

/** Adds the dimensions that a term shares with other terms: those of its meanings and of its pieces. */
export function addShared(vector: Vector, term: string, strength: number): void {
  for (const { line, share } of meaningsOf(term))
    addAt(vector, hash(MEANING_SEED + line, '', 0, 0), MEANING_WEIGHT * share * strength);
  if (term.charCodeAt(0) >= FIRST_CHARACTER) addCharacters(vector, term, strength);
  else if (term.length >= CUT_FROM) addPieces(vector, term, strength);
}

function addPieces(vector: Vector, term: string, strength: number): void {
  const pieces = Math.min(term.length, LONGEST) + 3 - PIECE;
  const weight = (LETTERS_WEIGHT / Math.sqrt(pieces)) * strength;
  for (let at = -1; at < pieces - 1; at += 1) addAt(vector, hash(LETTERS_SEED, term, at, at + PIECE), weight);
}

/** Code of the first character that is a word by itself, as in Chinese. Kana are excepted, because they are sounds. */
const FIRST_CHARACTER = 0x2e80;
const KANA_FROM = 0x3041;
const KANA_TO = 0x30ff;

function addCharacters(vector: Vector, term: string, strength: number): void {
  for (let at = 0; at < term.length; at += 1) {
    const unit = term.charCodeAt(at);
    if (unit >= KANA_FROM && unit <= KANA_TO) continue;
    addAt(vector, hash(LETTERS_SEED, term, at, at + 1), CHARACTER_WEIGHT * strength);
  }
}

function addAt(vector: Vector, hashed: number, weight: number): void {
  const place = (hashed >>> 1) % DIMENSIONS;
  vector[place] = (vector[place] ?? 0) + ((hashed & 1) === 0 ? weight : -weight);
}

/**
 * Code of the character that is put before and after a word, so that the word's first and last letters make pieces of
 * their own.
 */
const FRAME = 0x5e;

/**
 * Hashes a part of a text: FNV-1a over UTF-16 units, mixed as in MurmurHash3. The hash is the same on every machine, so
 * that stored vectors stay valid.
 */
function hash(seed: number, text: string, from: number, to: number): number {
  let mixed = seed;
  for (let at = from; at < to; at += 1) {
    const unit = at >= 0 && at < text.length ? text.charCodeAt(at) : FRAME;
    mixed = Math.imul(mixed ^ unit, 0x01000193);
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Hash of everything that decides a text's vector. Stored vectors with another hash are recomputed. */
export const RECIPE = recipe([
  ...meanings,
  ...stop.words,
  stop.characters,
  DIMENSIONS,
  WORD_WEIGHT,
  MEANING_WEIGHT,
  LETTERS_WEIGHT,
  CHARACTER_WEIGHT,
  PIECE,
  CUT_FROM,
  LONGEST,
]);

function recipe(parts: readonly (string | number)[]): number {
  const text = parts.join(' ');
  return hash(WORD_SEED, text, 0, text.length);
}
