/** Makes the table of a run, with one row for each fault, from the run's history and breaches only. */

import type { Breach, Rule } from '../../fakes/history/breach.ts';
import { lifeOf } from '../../fakes/history/check-times.ts';
import type { History } from '../../fakes/history/history.ts';
import { createReplies, type Reply } from '../../fakes/history/replies.ts';

export interface Row {
  readonly fault: string;
  /** Number of times that the fault happened. */
  readonly runs: number;
  readonly questions: number;
  readonly ends: number;
  readonly lost: number;
  readonly doubled: number;
  readonly outOfOrder: number;
  readonly takenBack: number;
  readonly other: number;
  /** Longest time from a claim to the end of the question, in milliseconds. */
  readonly worstMs: number;
}

const COLUMNS: Readonly<Record<Rule, 'lost' | 'doubled' | 'outOfOrder' | 'takenBack' | 'other'>> = {
  terminal: 'lost',
  text: 'lost',
  thinking: 'lost',
  retry: 'lost',
  stray: 'doubled',
  duplicate: 'doubled',
  reposted: 'doubled',
  'asked-again': 'doubled',
  order: 'outOfOrder',
  'taken-back': 'takenBack',
  changed: 'takenBack',
  'not-cancelled': 'other',
  crossing: 'other',
  schema: 'other',
  late: 'other',
  notice: 'other',
};

export const ALL = 'all';

/** Returns one row for each fault, and one for all questions. */
export function tableOf(history: History, breaches: readonly Breach[]): readonly Row[] {
  const replies = createReplies(history).filter(isAccepted);
  const context = contextOf(history, breaches);
  const rows = new Map<string, Reply[]>();
  for (const reply of replies)
    for (const fault of [...faultsOf(reply, history, context)])
      rows.set(fault, [...(rows.get(fault) ?? []), reply]);
  const sorted = [...rows].toSorted(([one], [other]) => one.localeCompare(other));
  const all = rowOf(ALL, replies, context);
  const unassigned = breaches.filter((breach) => !context.assigned.has(breach));
  return [...sorted.map(([fault, its]) => rowOf(fault, its, context)), withBreaches(all, unassigned)];
}

/** True if the bridge acknowledged or answered the question. */
const isAccepted = ({ question, all }: Reply): boolean => question.acceptedAt !== undefined || all.length > 0;

interface Context {
  readonly history: History;
  readonly byId: ReadonlyMap<string, History['askings']>;
  /** Breaches by the id of an answer that they name. */
  readonly breaches: ReadonlyMap<string, readonly Breach[]>;
  readonly assigned: ReadonlySet<Breach>;
  /** For each team, channel and thread, the kinds of the faults that hit its calls. */
  readonly hits: ReadonlyMap<string, ReadonlySet<string>>;
}

function contextOf(history: History, breaches: readonly Breach[]): Context {
  const byAnswer = new Map<string, Breach[]>();
  for (const breach of breaches)
    for (const id of idsIn(breach)) byAnswer.set(id, [...(byAnswer.get(id) ?? []), breach]);
  const hits = new Map<string, Set<string>>();
  for (const { team, channel, thread, fault } of history.calls) {
    if (fault === undefined) continue;
    const key = `${team} ${channel} ${thread}`;
    hits.set(key, (hits.get(key) ?? new Set()).add(fault));
  }
  const known = new Set(history.questions.flatMap(({ sayings }) => sayings.map(({ id }) => id)));
  return {
    ...{ history, hits, breaches: byAnswer },
    byId: Map.groupBy(history.askings, ({ id }) => id),
    assigned: new Set(breaches.filter((breach) => idsIn(breach).some((id) => known.has(id)))),
  };
}

/** Returns the ids in a breach, which names its question as `place (id, id)` or by the id alone. */
const idsIn = ({ where }: Breach): readonly string[] => where.match(/\b[0-9a-z]{6}(?=[,)]|$)/g) ?? [];

function faultsOf(reply: Reply, history: History, { hits, byId }: Context): ReadonlySet<string> {
  const { question, acts } = reply;
  const { team, channel, thread, sayings, copies, deletedAt } = question;
  const named = sayings.flatMap(({ fault, cutAt }) => [
    ...(fault === undefined ? [] : [`platform ${fault.code}`]),
    ...(cutAt === undefined ? [] : ['platform F06']),
  ]);
  const refused = sayings.flatMap(({ id }) => byId.get(id) ?? []).flatMap(({ fault = [] }) => fault);
  named.push(...refused.map((code) => `platform ${code}`));
  const life = lifeOf(reply, byId);
  const until = life?.until ?? Number.POSITIVE_INFINITY;
  const machines = history.machineFaults
    .filter((span) => span.at < until && span.until > (question.acceptedAt ?? question.sentAt))
    .map(({ name }) => `process ${name}`);
  const channelFaults = [...(hits.get(`${team} ${channel} ${thread}`) ?? [])].map(
    (kind) => `channel ${kind}`,
  );
  const people = [
    ...(copies > 1 ? ['event repeated'] : []),
    ...(sayings.length > 1 ? ['question edited'] : []),
    ...(deletedAt === undefined ? [] : ['question deleted']),
    ...(acts.some(({ kind }) => kind === 'stop') ? ['answer stopped'] : []),
    ...(acts.some(({ kind }) => kind === 'retry') ? ['Retry pressed'] : []),
  ];
  const all = [...named, ...machines, ...channelFaults, ...people];
  return new Set(all.length === 0 ? ['none'] : all);
}

function rowOf(fault: string, replies: readonly Reply[], { history, byId, breaches }: Context): Row {
  const lives = replies.flatMap((reply) => lifeOf(reply, byId) ?? []);
  const its = new Set(
    replies.flatMap(({ question }) => question.sayings.flatMap(({ id }) => breaches.get(id) ?? [])),
  );
  const spans = history.machineFaults.filter(({ name }) => fault === `process ${name}`).length;
  const calls = history.calls.filter((call) => fault === `channel ${call.fault}`).length;
  const row = {
    ...{ fault, questions: replies.length, runs: spans || calls || replies.length },
    // A question that was deleted before its claim has no reply to end.
    ends: replies.filter(({ messages, removed, question }) => {
      return messages.length > 0 || removed.length > 0 || question.deletedAt !== undefined;
    }).length,
    worstMs: Math.max(0, ...lives.map(({ at, until }) => until - at)),
    ...{ lost: 0, doubled: 0, outOfOrder: 0, takenBack: 0, other: 0 },
  };
  return withBreaches(row, [...its]);
}

function withBreaches(row: Row, breaches: readonly Breach[]): Row {
  const counts = { lost: row.lost, doubled: row.doubled, outOfOrder: row.outOfOrder };
  const more = { ...counts, takenBack: row.takenBack, other: row.other };
  for (const { rule } of breaches) more[COLUMNS[rule]] += 1;
  return { ...row, ...more };
}

const HEAD = [
  'fault',
  'runs',
  'questions',
  'ends',
  'lost',
  'doubled',
  'out of order',
  'taken back',
  'other',
  'worst time to the end',
] as const;

export function printedTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.fault,
    ...[
      row.runs,
      row.questions,
      row.ends,
      row.lost,
      row.doubled,
      row.outOfOrder,
      row.takenBack,
      row.other,
    ].map(String),
    `${(row.worstMs / 1_000).toFixed(1)} s`,
  ]);
  const all = [[...HEAD], ...cells];
  const widths = HEAD.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0)));
  return all
    .map((line) =>
      line
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
