import { addOwn, addShared, DIMENSIONS, meaningsOf, type Vector } from './features.ts';
import { isEmptyTerm, termsOf } from './terms.ts';

/** How much the second, third … appearance of a term adds. */
const REPEATS = 0.5;
/** How much it adds that a term stands in the heading. */
const HEADING = 0.5;

/** The vector of a text: the same each time, blind to white space, of length 1, or 0 when the text says nothing. */
export const embed = (text: string): Vector => unit(sum(termsOf(text)));

/** The vector of a passage by all its terms; those of its heading count more: they say what it is about. */
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

/** How rare things are among all passages: the usual logarithm, highest for what no passage has. */
export interface Rarity {
  /** Undefined when no passage has the term. */
  ofTerm(term: string): number | undefined;
  /** Undefined when no passage has any term of the meaning. */
  ofMeaning(line: number): number | undefined;
  readonly highest: number;
}

interface EmbeddedQuestion {
  readonly vector: Vector;
  /** The cosine with a passage of usual length that holds each word of the question once. */
  readonly selfCosine: number;
}

/** Length, before it becomes 1, of the vector of a usual passage: the median of the shipped ones, 22 different terms. */
const USUAL_LENGTH = 7;
/** A pair of characters that no passage has is mostly the end of one word and the beginning of the next. */
const CHANCE_PAIR = 0.25;

/** The vector of a question: rare words count more, and words that no passage has count by their meaning alone. */
export function embedQuestion(terms: readonly string[], rarity: Rarity): EmbeddedQuestion {
  const vector = new Float32Array(DIMENSIONS);
  let self = 0;
  for (const term of counted(terms).keys()) {
    const known = rarity.ofTerm(term);
    const weight = weightOf(term, rarity);
    addShared(vector, term, weight);
    // A word in no passage could only meet what falls into its own place by chance.
    if (known !== undefined) addOwn(vector, term, weight);
    self +=
      weight *
      (square(term, addShared) +
        (known === undefined && rarestMeaning(term, rarity) !== undefined ? 0 : square(term, addOwn)));
  }
  const length = lengthOf(vector);
  return { vector: unit(vector), selfCosine: length === 0 ? 0 : self / (length * USUAL_LENGTH) };
}

/** Weight of a question's term: its rarity. A word that no passage contains weighs as its meaning, else the maximum. */
export const weightOf = (term: string, rarity: Rarity): number =>
  rarity.ofTerm(term) ?? rarestMeaning(term, rarity) ?? rarity.highest * (isPair(term) ? CHANCE_PAIR : 1);

/** What a term adds to its product with a passage that holds it once. */
function square(term: string, add: typeof addOwn): number {
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
