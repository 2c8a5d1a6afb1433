/**
 * Distinguishes a slow server from a server that does not answer. On an overloaded machine every statement takes long,
 * but the server still answers one statement after another.
 */

import pg from 'pg';

export interface Answers {
  /** Resolves and rejects as the statement does. */
  watch<T>(statement: Promise<T>): Promise<T>;
  /**
   * Returns the time for which PostgreSQL has answered none of the statements in progress, in milliseconds; 0 if there
   * are none.
   */
  silentMs(): number;
  /** Returns the time since the last answer, in milliseconds. */
  sinceAnswerMs(): number;
}

export function createAnswers(): Answers {
  const started = new Set<{ readonly at: number }>();
  let answeredAt = performance.now();
  const answered = () => {
    answeredAt = performance.now();
  };
  return {
    async watch(statement) {
      const own = { at: performance.now() };
      started.add(own);
      try {
        const result = await statement;
        answered();
        return result;
      } catch (thrown) {
        if (thrown instanceof pg.DatabaseError) answered();
        throw thrown;
      } finally {
        started.delete(own);
      }
    },
    silentMs() {
      const [oldest] = started;
      return oldest === undefined ? 0 : performance.now() - Math.max(answeredAt, oldest.at);
    },
    sinceAnswerMs: () => performance.now() - answeredAt,
  };
}
