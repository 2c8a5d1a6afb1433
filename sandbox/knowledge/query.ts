import type { PastTurn } from '../store/sessions.ts';
import { contentTerms, type Language, languageOf, termsOf } from '../words/terms.ts';

/** What is searched for: terms with their weight, and the documents that the conversation is about. */
export interface Query {
  readonly question: string;
  /** The question, after those that a follow-up points back to. */
  readonly searched: string;
  readonly language: Language;
  readonly terms: ReadonlyMap<string, number>;
  /** Terms of the question itself. */
  readonly own: readonly string[];
  /** Documents of the previous answer, by id. */
  readonly recent: ReadonlySet<string>;
  readonly followUp: boolean;
}

/** Weights of a term from the question before, and from the one before that. */
const EARLIER_WEIGHTS = [0.6, 0.3];

/** Terms of one question that are searched for; a pasted page holds no more meaning than its beginning. */
const TERMS_AT_MOST = 64;

const POINTS_BACK =
  /^(and|but|so|then|also|what about|how about|why|ok|okay)\b|\b(it|its|that|this|they|them|those|these|there|one|ones|same|instead|else)\b/i;
const POINTS_BACK_CJK = /^(那|还有|然后|それ|その|では|じゃあ)|[它其]|这个|那个|呢[？?]?$/;

/** Builds the query of a question; a follow-up takes over what the earlier questions were about. */
export function buildQuery(question: string, history: readonly PastTurn[], asFollowUp = false): Query {
  const own = contentTerms(question).slice(0, TERMS_AT_MOST);
  const previous = history.at(-1);
  const followUp = previous !== undefined && (asFollowUp || pointsBack(question, own));
  const terms = new Map(own.map((term) => [term, 1]));
  if (followUp) {
    for (const [age, weight] of EARLIER_WEIGHTS.entries()) {
      const earlier = history.at(-1 - age);
      for (const term of contentTerms(earlier?.question ?? '').slice(0, TERMS_AT_MOST))
        if (!terms.has(term)) terms.set(term, weight);
    }
  }
  const recent = new Set(followUp ? previous.sources.map((source) => source.document) : []);
  const earlier = followUp ? history.slice(-EARLIER_WEIGHTS.length).map((turn) => turn.question) : [];
  const searched = [question, ...earlier].join(' ');
  return { question, searched, language: languageOf(question), terms, own, recent, followUp };
}

/** A question with a pronoun, a joining word, or next to no content of its own. */
function pointsBack(question: string, own: readonly string[]): boolean {
  const short = termsOf(question).length <= 12;
  return own.length <= 1 || (short && (POINTS_BACK.test(question) || POINTS_BACK_CJK.test(question)));
}
