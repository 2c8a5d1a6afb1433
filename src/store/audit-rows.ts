/** Reads and writes the audit's records as rows, which are the same in both engines. */

import type { Origin } from '../core/message.ts';
import type { AuditAction, AuditRecord, StoredRecord, TurnFacts } from '../core/stores/audit.ts';
import type { Terminal } from '../core/turn.ts';
import { idOf, objectOf, type Row, textOf, turnOf } from './turn-rows.ts';

/** Maximum number of records that one transaction deletes. */
export const PRUNED_RECORDS = 1_000;

/**
 * Returns the columns of a record. `facts` is a JSON object of all other properties. It repeats `agent` and `code`,
 * which have columns only so that queries can select and count by them.
 */
export function auditRow(record: AuditRecord) {
  const { at, action, outcome, channel, tenant, room, thread, person, turn, ...facts } = record;
  const column = (value: string | undefined) => value ?? null;
  return {
    at,
    action,
    outcome,
    channel: column(channel),
    tenant: column(tenant),
    room: column(room),
    thread: column(thread),
    person: column(person),
    turn: column(turn),
    agent: column(facts.agent),
    code: column(facts.code),
    facts: JSON.stringify(facts),
  };
}

/** Returns the record of a row; without the properties in `facts` if these cannot be read. */
export function recordOf(row: Row): StoredRecord {
  const names = ['channel', 'tenant', 'room', 'thread', 'person', 'turn'] as const;
  const present = names.flatMap((name) => (row[name] === null ? [] : [[name, textOf(row[name])]]));
  return {
    at: Number(row.at),
    action: textOf(row.action) as AuditAction,
    outcome: textOf(row.outcome),
    ...Object.fromEntries(present),
    ...objectOf(row.facts),
    seq: Number(row.seq),
  };
}

/** The action of a turn, by the kind of its origin. */
const ACTIONS: Readonly<Record<Origin['kind'], AuditAction>> = {
  message: 'ask',
  act: 'ask',
  retry: 'retry',
  regenerate: 'regenerate',
  show: 'show',
  withdraw: 'withdraw',
};

/**
 * Returns the audit record of a turn that ends. `row` is the turn's row before its texts are deleted.
 * @param now the current time, on the same clock as the times in the row
 * @param facts absent if the turn did not run
 */
export function endedRecord(
  row: Row,
  state: Terminal,
  now: number,
  facts: TurnFacts | undefined,
): AuditRecord {
  const turn = turnOf({ ...row, state });
  if (turn === undefined) return { at: now, action: 'ask', outcome: state, turn: idOf(row) };
  const { message, origin, agent, account, session } = turn;
  const { channel, tenant, room, key: thread, kind } = message.thread;
  return {
    at: now,
    action: ACTIONS[origin.kind],
    outcome: state,
    turn: turn.id,
    person: 'by' in origin ? origin.by : message.sender.id,
    channel,
    tenant,
    room,
    thread,
    kind,
    ...(agent !== undefined && { agent }),
    ...(account !== undefined && { account }),
    ...(session !== undefined && { session }),
    ms: Math.max(0, Math.round(now - turn.keptAt)),
    questionChars: message.text.length,
    files: message.files.length,
    ...facts,
  };
}
