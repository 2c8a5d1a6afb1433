/** Fills a store with many ended turns, for the operator's page. Both engines run the statements. */

const STEP_MS = 25_000;
const OUTCOME = "CASE WHEN i % 20 = 0 THEN 'failed' WHEN i % 33 = 0 THEN 'partial' ELSE 'answered' END";
const CODE =
  "CASE WHEN i % 20 = 0 THEN CASE WHEN i % 60 = 0 THEN 'platform-down' ELSE 'platform-server' END WHEN i % 33 = 0 THEN 'platform-interrupted' END";

/**
 * Returns the statements that store ended turns up to `now`, 25 s apart, with their records and some ratings.
 * @param columns further columns of `turns` that the engine needs, with `values` for them; each begins with a comma
 */
export function filling(turns: number, now: number, columns = '', values = ''): readonly string[] {
  const numbers = `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${turns})`;
  const at = `${now} - (${turns} - i) * ${STEP_MS}.0`;
  return [
    `INSERT INTO parley.audit (at, action, outcome, channel, tenant, room, thread, person, turn, agent, code, facts)
      ${numbers} SELECT ${at}, 'ask', ${OUTCOME}, CASE WHEN i % 3 = 0 THEN 'teams' ELSE 'slack' END,
        'T' || (i % 12), 'C' || (i % 500), 'thread ' || i, 'U' || (i % 3000), 'turn ' || i, 'agent' || (i % 8), ${CODE},
        '{"kind":"room","agent":"agent' || (i % 8) || '","account":"service","session":"session ' || i
          || '","ms":' || (i * 37 % 30000) || ',"questionChars":80,"files":0,"answerChars":900,"sources":[{"id":"doc ' || i || '"}]}'
      FROM numbers`,
    `INSERT INTO parley.turns (id, origin_key, lane, reply, state, announced, kept_at, ended_at, origin, message${columns})
      ${numbers} SELECT 'old ' || i, 'old event ' || i, '["slack","T' || (i % 12) || '","C1","' || i || '"]', 'old ' || i,
        'answered', true, ${now} - i, ${now} - i, '{"kind":"message","key":"' || i || '","revision":0}',
        '{"id":"' || i || '","text":"","thread":{"channel":"slack"},"sender":{"id":"U1"}}'${values} FROM numbers`,
    `INSERT INTO parley.feedback (turn, person, verdict, note, at, reply, channel, tenant, room, agent)
      ${numbers} SELECT 'turn ' || i, 'U' || (i % 3000), CASE WHEN i % 50 = 0 THEN 'down' ELSE 'up' END,
        CASE WHEN i % 50 = 0 THEN 'a secret note' END, ${at}, 'turn ' || i, 'slack', 'T' || (i % 12), 'C' || (i % 500),
        'agent' || (i % 8) FROM numbers WHERE i % 10 = 0`,
  ];
}
