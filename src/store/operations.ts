/** The queries for an operator. Each reads a bounded number of rows, and no text of people or agents leaves it. */

import type {
  OpenTurns,
  PageEnd,
  RatingLine,
  TurnCount,
  TurnCounted,
  TurnFilter,
  TurnLine,
  TurnPage,
  WaitReason,
} from '../core/stores/operations.ts';
import { recordOf } from './audit-rows.ts';
import { unwrap } from './keyed-rows.ts';
import type { Reader } from './reader.ts';
import { also, listOf, once, type Sql, type Steps, sql } from './sql.ts';
import { objectOf, parse, type Row, textOf } from './turn-rows.ts';

/** Maximum number of records that one query reads: the newest of the time that it asks for. */
export const SEARCHED = 100_000;
/** Maximum number of waiting turns, and of running turns, that one query reads. */
export const OPEN_TURNS = 500;
/** Maximum number of groups of turns that ended alike. */
const GROUPS = 500;
/** Maximum number of values of one namespace that one query reads. */
const VALUES = 1_000;
/** Maximum length of a stored message that is read, in characters. The person of a longer one is left out. */
const MESSAGE_CHARS = 65_536;

/** The actions of turns, as the audit names them. */
const TURNS = ['ask', 'retry', 'regenerate', 'show', 'withdraw'];

export type OperatorQueries = ReturnType<typeof createQueries>;

interface StoredValues {
  readonly count: number;
  readonly rows: readonly { readonly key: string; readonly value: unknown; readonly expires: number }[];
}

export const createQueries = ({ read, now, wraps }: Reader) => ({
  /**
   * @param served the channels that run
   * @param owned the workspaces that a replica owns, as `CHANNEL TENANT`; absent in a bridge of one process
   */
  open: (filter: TurnFilter, served: ReadonlySet<string>, owned?: ReadonlySet<string>) =>
    read(openTurns(filter, served, owned)),
  /** @param actions the actions of the audit to list; those of turns by default */
  ended: (filter: TurnFilter, limit: number, after?: PageEnd, actions: readonly string[] = TURNS) =>
    read(endedTurns(filter, actions, limit, after)),
  counted: (filter: TurnFilter) => read(countTurns(filter)),
  async ratings(filter: TurnFilter, limit: number): Promise<readonly RatingLine[]> {
    const { channel, tenant, room, person, agent, from, to } = filter;
    const rows = await read(
      once(sql`SELECT turn, person, verdict, at, channel, tenant, room, agent, note IS NOT NULL AS noted
        FROM parley.feedback WHERE at >= ${from} AND at < ${to}
          ${also('channel', channel)}${also('tenant', tenant)}${also('room', room)}${also('person', person)}
          ${also('agent', agent)}
        ORDER BY at DESC LIMIT ${limit}`),
    );
    return rows.map(ratingOf);
  },
  /** Resolves with at most 1,000 values that have not expired, by key, and with their number. */
  async values(namespace: string, start: string, limit = VALUES): Promise<StoredValues> {
    const inside = sql`namespace = ${namespace} AND key >= ${start} AND key < ${`${start}\u{10ffff}`}
      AND expires > ${await now()}`;
    const [total] = await read(once(sql`SELECT count(*) AS count FROM parley.keyed WHERE ${inside}`));
    const rows = await read(
      once(sql`SELECT key, value, expires FROM parley.keyed WHERE ${inside} ORDER BY key LIMIT ${limit}`),
    );
    return {
      count: Number(total?.count),
      rows: rows.map(({ key, value, expires }) => ({
        key: textOf(key),
        value: unwrap(value, wraps).value,
        expires: Number(expires),
      })),
    };
  },
});

function* openTurns(
  filter: TurnFilter,
  served: ReadonlySet<string>,
  owned: ReadonlySet<string> | undefined,
): Steps<OpenTurns> {
  const columns = sql`id, lane, state, ready, phase, attempt, kept_at, agent, owner, origin,
    CASE WHEN length(message) <= ${MESSAGE_CHARS} THEN message END AS message`;
  const running = yield sql`SELECT ${columns} FROM parley.turns INDEXED BY turns_running
    WHERE state = 'running' ORDER BY kept_at LIMIT ${OPEN_TURNS + 1}`;
  const waiting = yield sql`SELECT ${columns} FROM parley.turns INDEXED BY turns_waiting
    WHERE state = 'waiting' ORDER BY kept_at LIMIT ${OPEN_TURNS + 1}`;
  const lines = [running, waiting].flatMap((rows) =>
    rows.slice(0, OPEN_TURNS).map((row) => openLine(row, served, owned)),
  );
  const isCut = running.length > OPEN_TURNS || waiting.length > OPEN_TURNS;
  return { lines: lines.filter((line) => matches(line, filter)), ...(isCut && { searched: OPEN_TURNS }) };
}

function openLine(row: Row, served: ReadonlySet<string>, owned: ReadonlySet<string> | undefined): TurnLine {
  const lane = parse(row.lane);
  const [channel = '', tenant = '', room = ''] = Array.isArray(lane) ? lane.map(String) : [];
  const { by, kind: action = 'message' } = objectOf(row.origin) ?? {};
  const { sender, thread, agent } = objectOf(row.message) ?? {};
  const isRunning = row.state === 'running';
  return {
    turn: textOf(row.id),
    action: action === 'message' || action === 'act' ? 'ask' : textOf(action),
    state: textOf(row.state),
    at: Number(row.kept_at),
    channel,
    tenant,
    room,
    attempt: Number(row.attempt),
    person: textOf(by) || textOf(propertyOf(sender, 'id')) || undefined,
    kind: textOf(propertyOf(thread, 'kind')) || undefined,
    agent: textOf(row.agent) || textOf(agent) || undefined,
    ...(isRunning
      ? { phase: textOf(row.phase), replica: textOf(row.owner) }
      : { why: reasonOf(row, served.has(channel), owned?.has(`${channel} ${tenant}`) ?? true) }),
  };
}

function reasonOf({ ready }: Row, isServed: boolean, isOwned: boolean): WaitReason {
  if (Number(ready) < 0) return 'platform';
  if (!isServed) return 'channel';
  if (Number(ready) === 0) return 'thread';
  return isOwned ? 'next' : 'replica';
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? value[name as keyof typeof value]
    : undefined;

function matches(line: TurnLine, { states, code, ...wanted }: TurnFilter): boolean {
  const names = ['turn', 'channel', 'tenant', 'room', 'person', 'agent'] as const;
  if (code !== undefined || states?.includes(line.state) === false) return false;
  return names.every((name) => wanted[name] === undefined || wanted[name] === line[name]);
}

/**
 * Returns the condition for the newest records of a time: at most `SEARCHED`. `isCut` is true if there are older
 * ones in this time.
 */
function* newest({ from, to }: TurnFilter, after?: PageEnd): Steps<{ range: Sql; isCut: boolean }> {
  const before =
    after === undefined
      ? sql`at < ${to}`
      : sql`at <= ${after.at} AND (at, seq) < (${after.at}, ${after.seq})`;
  const [last] =
    yield sql`SELECT at, seq FROM parley.audit INDEXED BY audit_at WHERE at >= ${from} AND ${before}
    ORDER BY at DESC, seq DESC LIMIT 1 OFFSET ${SEARCHED}`;
  if (last === undefined) return { range: sql`at >= ${from} AND ${before}`, isCut: false };
  const floor = [Number(last.at), Number(last.seq)] as const;
  return {
    range: sql`at >= ${floor[0]} AND (at, seq) > (${floor[0]}, ${floor[1]}) AND ${before}`,
    isCut: true,
  };
}

function condition(filter: TurnFilter, actions: readonly string[]): Sql {
  const { turn, channel, tenant, room, person, agent, code, states } = filter;
  const inStates = states === undefined ? sql`` : sql` AND outcome IN (${listOf([...states, ''])})`;
  // Earlier versions stored the agent only in `facts`. A quotation mark inside another text of `facts` is escaped.
  const ofAgent =
    agent === undefined
      ? sql``
      : sql` AND (agent = ${agent} OR (agent IS NULL AND facts LIKE ${`%"agent":${JSON.stringify(agent)}%`}))`;
  return sql`action IN (${listOf(actions)})${also('turn', turn)}${also('channel', channel)}${also('tenant', tenant)}
    ${also('room', room)}${also('person', person)}${also('code', code)}${inStates}${ofAgent}`;
}

function* endedTurns(
  filter: TurnFilter,
  actions: readonly string[],
  limit: number,
  after: PageEnd | undefined,
): Steps<TurnPage> {
  const { range, isCut } = yield* newest(filter, after);
  const rows = yield sql`SELECT * FROM parley.audit INDEXED BY audit_at
    WHERE ${range} AND ${condition(filter, actions)} ORDER BY at DESC, seq DESC LIMIT ${limit + 1}`;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    lines: page.map(lineOf),
    ...(rows.length > limit && last && { next: { at: Number(last.at), seq: Number(last.seq) } }),
    ...(isCut && rows.length <= limit && { searched: SEARCHED }),
  };
}

function* countTurns(filter: TurnFilter): Steps<TurnCounted> {
  const { range, isCut } = yield* newest(filter);
  const rows = yield sql`SELECT outcome, agent, code, count(*) AS count
    FROM parley.audit INDEXED BY audit_at WHERE ${range} AND ${condition(filter, TURNS)}
    GROUP BY outcome, agent, code ORDER BY count(*) DESC, outcome LIMIT ${GROUPS}`;
  return { counts: rows.map(countOf), ...(isCut && { searched: SEARCHED }) };
}

const countOf = ({ outcome, count, agent, code }: Row): TurnCount => ({
  state: textOf(outcome),
  count: Number(count),
  agent: textOf(agent) || undefined,
  code: textOf(code) || undefined,
});

/** Names each property, because a record may contain texts and titles. */
function lineOf(row: Row): TurnLine {
  const { at, action, outcome, turn, channel, tenant, room, person, kind, ...record } = recordOf(row);
  const { agent, account, ms, questionChars, answerChars, files, sources } = record;
  const place = { channel, tenant, room, kind };
  const sizes = { questionChars, answerChars, files, sources: sources?.length };
  const code = textOf(row.code) || undefined;
  return { turn, at, action, state: outcome, person, agent, account, code, ms, ...place, ...sizes };
}

const ratingOf = (row: Row): RatingLine => ({
  turn: textOf(row.turn),
  person: textOf(row.person),
  verdict: textOf(row.verdict),
  at: Number(row.at),
  channel: textOf(row.channel),
  tenant: textOf(row.tenant),
  room: textOf(row.room),
  agent: textOf(row.agent) || undefined,
  noted: Boolean(row.noted),
});
