/**
 * From a cosine to a likelihood that the passage answers the question, so that one limit (0.8 where the caller gives
 * none) means the same for short and long questions.
 *
 * A raw cosine means little: a question of one word that the passage has comes to 0.1, one of six words that it has
 * all to 0.4. So the cosine is measured against the question's own: what a passage of usual length gets that holds
 * each of its words once. Over the shipped documents and the recorded questions, this ratio is 0.45 or less for the
 * best passage of nine in ten questions about something else (half of them: 0.16), and 0.5 or more for the right
 * passage of nine in ten real questions (half of them: 0.9). So the logistic curve stands at 0.8 where the ratio is
 * 0.45, and at one half where it is 0.25.
 */
const EVEN_AT = 0.25;
const STEEPNESS = 7;

/** 0 to 1, rising with the cosine. A question that says nothing resembles nothing. */
export function similarity(cosine: number, selfCosine: number): number {
  if (selfCosine <= 0) return 0;
  return 1 / (1 + Math.exp(-STEEPNESS * (cosine / selfCosine - EVEN_AT)));
}

/** The cosine that comes to a similarity: what a search need not look below. */
export function cosineOf(least: number, selfCosine: number): number {
  if (least <= 0) return Number.NEGATIVE_INFINITY;
  if (least >= 1) return Number.POSITIVE_INFINITY;
  return selfCosine * (EVEN_AT + Math.log(least / (1 - least)) / STEEPNESS);
}
