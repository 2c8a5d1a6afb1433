import { addOwn, addShared, DIMENSIONS, meaningsOf, type Vector } from './features.ts';
import { isEmptyTerm, termsOf } from './terms.ts';

/** Weight of the repetitions of a term. A term that occurs n times counts as 1 + `REPEATS` * ln(n). */
const REPEATS = 0.5;
/** Additional weight of a term that is in the heading. */
const HEADING = 0.5;

/**
 * Returns the vector of a text. The vector has length 1, or 0 if the text has no content. Texts that differ only in
 * white space have equal vectors.
 */
export const embed = (text: string): Vector => unit(sum(termsOf(text)));

/** Returns the vector of a passage. Terms of its heading count more, because they name the subject. */
export function embedPassage(terms: readonly string[], heading: string): Vector {
  const vector = sum(terms);
  for (const term of counted(termsOf(heading)).keys()) addTerm(vector, term, HEADING);
  return unit(vector);
}

function sum(terms: readonly string[]): Vector {
  const vector = new Float32Array(DIMENSIONS);
  for (const [term, count] of counted(terms)) {
    addTerm(vector, term, 1 + REPEATS * Math.log(count));
  }
  return vector;
}

function addTerm(vector: Vector, term: string, strength: number): void {
  addOwn(vector, term, strength);
  addShared(vector, term, strength);
}

function counted(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const term of counts.keys()) if (isEmptyTerm(term)) counts.delete(term);
  return counts;
}

/** How rare terms are in all passages (inverse document frequency). A term that no passage contains is the rarest. */
export interface Rarity {
  /** Returns a term's rarity; undefined if no passage contains the term. */
  ofTerm(term: string): number | undefined;
  /** Returns a meaning's rarity; undefined if no passage contains a term with that meaning. */
  ofMeaning(line: number): number | undefined;
  readonly highest: number;
}

/**
 * Length of a usual passage's vector before it is normalized: the median of the shipped passages, which have 22
 * different terms.
 */
const USUAL_LENGTH = 7;
/**
 * Factor for the weight of a term that no passage contains, if the term begins with neither a Latin letter nor a digit.
 * Usually, such a term is a pair of Chinese or Japanese characters, and not a word, but the end of one word and the
 * beginning of the next.
 */
const CHANCE_PAIR = 0.25;

/**
 * Returns the vector of a question, and `selfCosine`: the question's cosine with an imagined passage of usual length
 * that contains each word of the question once. Rare words have more weight. A word that no passage contains adds only
 * its meaning.
 */
export function embedQuestion(terms: readonly string[], rarity: Rarity) {
  const vector = new Float32Array(DIMENSIONS);
  let self = 0;
  for (const term of counted(terms).keys()) {
    const known = rarity.ofTerm(term);
    const weight = weightOf(term, rarity);
    addShared(vector, term, weight);
    // Add the word's own dimension only if a passage contains the word. Otherwise, a match in it would be an accident.
    if (known !== undefined) addOwn(vector, term, weight);
    self +=
      weight *
      (productWithItself(term, addShared) +
        (known === undefined && rarestMeaning(term, rarity) !== undefined
          ? 0
          : productWithItself(term, addOwn)));
  }
  const length = lengthOf(vector);
  return { vector: unit(vector), selfCosine: length === 0 ? 0 : self / (length * USUAL_LENGTH) };
}

/**
 * Returns the weight of a question's term, which is the term's rarity. If no passage contains the term, returns the
 * rarity of its rarest meaning. If no passage contains a term with one of its meanings either, returns the highest
 * rarity, multiplied by `CHANCE_PAIR` if the term is a pair of characters.
 */
export const weightOf = (term: string, rarity: Rarity): number =>
  rarity.ofTerm(term) ?? rarestMeaning(term, rarity) ?? rarity.highest * (isPair(term) ? CHANCE_PAIR : 1);

/** Returns what a term adds to the dot product of a question and a passage that contains the term once. */
function productWithItself(term: string, add: typeof addOwn): number {
  const alone = new Float32Array(DIMENSIONS);
  add(alone, term, 1);
  return dot(alone, alone);
}

const isPair = (term: string): boolean => !/^[\p{Script=Latin}\d]/u.test(term);

function rarestMeaning(term: string, rarity: Rarity): number | undefined {
  const known = meaningsOf(term).flatMap(({ line }) => rarity.ofMeaning(line) ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

const lengthOf = (vector: Vector): number => Math.sqrt(dot(vector, vector));

export function dot(a: Vector, b: Vector): number {
  let total = 0;
  for (let at = 0; at < DIMENSIONS; at += 1) total += (a[at] ?? 0) * (b[at] ?? 0);
  return total;
}

function unit(vector: Vector): Vector {
  const length = lengthOf(vector);
  if (length > 0) for (let at = 0; at < DIMENSIONS; at += 1) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
