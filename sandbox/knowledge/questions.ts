import { termsOf, wordsOf } from '../words/terms.ts';

/** Questions that sections of pages answer: by path of the page, last heading of the section, and language. */
export type ListedQuestions = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>
>;

export type Comparison = ReturnType<typeof createComparison>;

type Pieces = ReadonlySet<string>;

/** Part of the similarity of all questions of a page that is added to the score of each of its sections. */
const PAGE_SHARE = 0.5;
/** Minimum similarity of a listed question that counts as covering words of the question. */
const LEAST_SIMILAR = 0.2;
/** Matches terms that are not counted: Japanese particles and endings, and phrases, whose words are counted. */
const UNCOUNTED = /[\p{Script=Hiragana} ]/u;

/**
 * Returns the groups of three characters in the words of a text, so that forms of a word are similar. Chinese and
 * Japanese characters are words of their own, so a group contains two neighbouring ones.
 */
function piecesOf(text: string): Pieces {
  const words = ` ${wordsOf(text).join(' ')} `;
  return new Set(Array.from({ length: words.length - 2 }, (_, at) => words.slice(at, at + 3)));
}

function indexOf(listed: ListedQuestions) {
  const sections = Object.entries(listed).flatMap(([path, page]) =>
    Object.entries(page).map(([heading, texts]) => {
      return { path, heading, questions: Object.values(texts).flat().map(piecesOf) };
    }),
  );
  const all = sections.flatMap(({ questions }) => questions);
  const holders = new Map<string, Pieces[]>();
  for (const question of all)
    for (const piece of question) if (!holders.get(piece)?.push(question)) holders.set(piece, [question]);
  const pieces = sections.flatMap(({ questions }) => [...new Set(questions.flatMap((each) => [...each]))]);
  const counts = Map.groupBy(pieces, (piece) => piece);
  const weightOf = (piece: string) =>
    Math.log(1 + sections.length / ((counts.get(piece)?.length ?? 0) + 0.5));
  const sizeOf = (pieces: Iterable<string>) => sum([...pieces].map(weightOf));
  const sizes = new Map(all.map((question) => [question, sizeOf(question)]));
  return { sections, holders, sizeOf, sizes };
}

/**
 * Returns a function that compares a question with the listed ones, and returns how well each section fits. `score` is
 * the similarity of its most similar question, from 0 to 1 (the cosine of their pieces, in which rare ones count more),
 * plus a bonus for all questions of its page. `covered` is the share of the question's words that this question
 * contains, from 0 to 1; the similarity if the question has no words that count. Calls `read` at the first question, so
 * that the start is not slower.
 */
export function createComparison(read: () => ListedQuestions) {
  let index: ReturnType<typeof indexOf> | undefined;
  return (question: string) => {
    index ??= indexOf(read());
    const { sections, holders, sizeOf, sizes } = index;
    const asked = piecesOf(question);
    const size = sizeOf(asked);
    const shared = new Map<Pieces, number>();
    for (const piece of asked) {
      const weight = sizeOf([piece]);
      for (const held of holders.get(piece) ?? []) shared.set(held, (shared.get(held) ?? 0) + weight);
    }
    const terms = termsOf(question)
      .filter((term) => !UNCOUNTED.test(term))
      .map((term) => [...piecesOf(term)]);
    const contained = (held: Pieces) =>
      sum(terms.map((term) => sizeOf(term.filter((piece) => held.has(piece))) / term.length));
    const compared = sections.map(({ path, heading, questions }) => {
      const scores = questions.map(
        (each) => (shared.get(each) ?? 0) / Math.sqrt(size * (sizes.get(each) ?? 1)),
      );
      const score = Math.max(...scores);
      const best = questions[scores.indexOf(score)] ?? asked;
      const covered = terms.length === 0 ? score : contained(best) / contained(asked);
      return { path, heading, score, covered: score < LEAST_SIMILAR ? 0 : covered };
    });
    const pages = Map.groupBy(compared, ({ path }) => path);
    return compared.map((fit) => {
      const ofPage = Math.cbrt(sum((pages.get(fit.path) ?? []).map(({ score }) => score ** 3)));
      return { ...fit, score: fit.score + PAGE_SHARE * ofPage };
    });
  };
}

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
