import { LRUCache } from 'lru-cache';
import { termsOf, wordsOf } from '../words/terms.ts';

/** Questions that sections of pages answer: by path of the page, last heading of the section, and language. */
export type ListedQuestions = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>
>;

export type Comparison = ReturnType<typeof createComparison>;

/** A section, and how well it fits a question. */
interface Fit {
  readonly path: string;
  readonly heading: string;
  /**
   * Mean logarithm of how much more frequent the question's features are in the section's questions than in all listed
   * questions: above 0 if the section fits better than a random one.
   */
  readonly fit: number;
}

/**
 * Weights of the expected frequencies, in features: those of all questions in a page's, and those of the page in a
 * section's. The larger the weight, the more questions a page or section needs before its own words count (Dirichlet
 * smoothing).
 */
const PAGE_WEIGHT = 2_000;
const SECTION_WEIGHT = 1_000;

/** Matches Japanese particles and endings, which say nothing about the subject of a question. */
const EMPTY = /^[\p{Script=Hiragana} ]+=?$/u;

/**
 * Returns the words of a text, and all groups of three characters in them, so that forms of a word are similar. Chinese
 * and Japanese characters are words of their own, so a group contains two neighbouring ones.
 */
function featuresOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text);
  const line = ` ${words.join(' ')} `;
  const groups = Array.from({ length: line.length - 2 }, (_, at) => line.slice(at, at + 3));
  return new Set([...groups, ...words.map((word) => `${word}=`)].filter((each) => !EMPTY.test(each)));
}

/** Returns the beginning of a word, which most of its forms share. */
const stemOf = (term: string): string => term.slice(0, 6);

/** Returns a question without its punctuation and capitals. */
const bare = (question: string): string => wordsOf(question).join(' ');
/** Added to the fit of a section that lists the very question, so that it comes first. */
const LISTED_BONUS = 2;

/** Number of occurrences of each feature in some questions. */
interface Counts {
  readonly of: Map<string, number>;
  total: number;
}

const noCounts = (): Counts => ({ of: new Map(), total: 0 });

function indexOf(listed: ListedQuestions) {
  const all = noCounts();
  const terms = new Set<string>();
  const pages = Object.entries(listed).map(([path, headings]) => {
    const page = noCounts();
    const sections = Object.entries(headings).map(([heading, languages]) => {
      const section = noCounts();
      const questions = new Set<string>();
      for (const question of Object.values(languages).flat()) {
        for (const feature of featuresOf(question))
          for (const counts of [all, page, section]) add(counts, feature);
        for (const term of termsOf(question)) terms.add(stemOf(term));
        questions.add(bare(question));
      }
      return { heading, counts: section, asked: questions };
    });
    return { path, counts: page, sections };
  });
  return { all, pages, terms };
}

function add(counts: Counts, feature: string): void {
  counts.of.set(feature, (counts.of.get(feature) ?? 0) + 1);
  counts.total += 1;
}

/** Returns the frequency of a feature in some questions, if `expected` is its frequency in more general ones. */
const frequency = ({ of, total }: Counts, feature: string, expected: number, weight: number): number =>
  ((of.get(feature) ?? 0) + weight * expected) / (total + weight);

/**
 * The pages answer a question if the best section's fit and the share of the question's terms that listed questions
 * contain add up to this. Chosen with 69 questions of newcomers, of which 65 pass, and 32 about other subjects, of which
 * 3 pass.
 */
const LEAST_FIT = 0.95;

/** Number of sections that a comparison returns. */
const BEST = 20;
/**
 * Number of questions whose sections are kept. For each answer, the agents compare the question and several suggestions,
 * and most suggestions come again.
 */
const KEPT = 1_000;

/**
 * Returns a function that compares a question with the listed ones. It returns the sections that fit best, the best one
 * first; nothing if the pages do not answer the question. The comparison is a naive Bayes classifier. Calls `read` at
 * the first question, so that the start is not slower.
 */
export function createComparison(read: () => ListedQuestions) {
  let index: ReturnType<typeof indexOf> | undefined;
  const kept = new LRUCache<string, readonly Fit[]>({ max: KEPT });
  const compare = (question: string): readonly Fit[] => {
    index ??= indexOf(read());
    const { all, pages, terms } = index;
    const features = [...featuresOf(question)];
    if (features.length === 0) return [];
    const words = bare(question);
    const general = features.map((each) => frequency(all, each, 1 / all.of.size, 1));
    const fits = pages.flatMap(({ path, counts: page, sections }) => {
      const expected = features.map((each, at) => frequency(page, each, general[at] ?? 0, PAGE_WEIGHT));
      const ofPage = sum(expected.map((each, at) => Math.log(each / (general[at] ?? each))));
      return sections.map(({ heading, counts: { of, total }, asked }) => {
        // A feature that is in no question of the section has the logarithm of its page, less a constant.
        const own = features.map((each, at) => {
          const count = of.get(each);
          return count === undefined ? 0 : Math.log1p(count / (SECTION_WEIGHT * (expected[at] ?? 1)));
        });
        const fit = (ofPage + sum(own)) / features.length - Math.log1p(total / SECTION_WEIGHT);
        return { path, heading, fit: asked.has(words) ? fit + LISTED_BONUS : fit };
      });
    });
    const wanted = termsOf(question);
    const known = wanted.filter((term) => terms.has(stemOf(term))).length / Math.max(1, wanted.length);
    const best = Math.max(...fits.map(({ fit }) => fit));
    return best + known < LEAST_FIT ? [] : fits.sort((one, other) => other.fit - one.fit).slice(0, BEST);
  };
  return (question: string): readonly Fit[] => {
    const fits = kept.get(question) ?? compare(question);
    kept.set(question, fits);
    return fits;
  };
}

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
