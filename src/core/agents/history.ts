import type { Exchange } from './agent.ts';

/** Maximum number of exchanges in a thread's history. */
const HISTORY_EXCHANGES = 20;
/** Maximum total length of the questions and answers in a thread's history, in UTF-16 units. */
export const HISTORY_LENGTH = 24_000;

/**
 * Drops the oldest exchanges. Always keeps the newest one, shortened if it is too long on its own.
 * @param length maximum total length in UTF-16 units
 */
export function boundedHistory(history: readonly Exchange[], length = HISTORY_LENGTH): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  let room = length;
  for (const exchange of history.slice(-HISTORY_EXCHANGES).toReversed()) {
    const fitting = exchanges.length === 0 ? shorten(exchange, length) : exchange;
    room -= fitting.question.length + fitting.answer.length;
    if (room < 0) break;
    exchanges.unshift(fitting);
  }
  return exchanges;
}

function shorten(exchange: Exchange, length: number): Exchange {
  const { question, answer } = exchange;
  if (question.length + answer.length <= length) return exchange;
  const excerpt = cut(question, length / 2);
  return { ...exchange, question: excerpt, answer: cut(answer, length - excerpt.length) };
}

/** Returns the beginning of a text without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  const start = text.slice(0, length);
  return start.length < text.length && !start.isWellFormed() ? start.slice(0, -1) : start;
}
