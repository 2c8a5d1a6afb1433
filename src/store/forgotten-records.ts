/** Removes texts and people from audit records that are forgotten, and writes the record of the deletion. */

import type { AuditRecord } from '../core/stores/audit.ts';
import type { ForgetRequest, ForgetTarget, Receipt } from '../core/stores/forgetting.ts';
import { isDirect } from './extent.ts';
import { objectOf, type Row, textOf } from './turn-rows.ts';

/**
 * Removes the question and the answer from the `facts` of an audit record, and returns the rest as JSON. Unless the
 * target is a thread, also removes the account, the session and the detail, which could identify the person.
 */
function anonymousFacts(facts: unknown, target: ForgetTarget): string {
  const value = objectOf(facts);
  if (value === undefined) return '{}';
  const { question: _q, answer: _a, ...withoutText } = value;
  if (target.kind === 'thread') return JSON.stringify(withoutText);
  const { account: _c, session: _s, detail: _d, ...others } = withoutText;
  return JSON.stringify(others);
}

/**
 * Returns the value for the column `forgotten` of audit records that were changed to forget this target. The value
 * keeps them from being found and changed again. For a person, no mark is needed, so the value is 0: the changed
 * records no longer name the person, so they are not found anyway.
 */
export const levelOf = ({ kind }: ForgetTarget): number => ({ person: 0, thread: 1, tenant: 2 })[kind];

/** Returns the new columns of an audit record: without texts, and with the pseudonym in place of the person. */
export function anonymousRow(
  row: Row,
  target: ForgetTarget,
  pseudonym: string,
): {
  readonly person: string | null;
  readonly tenant: string | null;
  readonly room: string | null;
  readonly thread: string | null;
  readonly facts: string;
} {
  const column = (value: unknown) => (typeof value === 'string' ? value : null);
  const hides = target.kind === 'tenant' || (target.kind === 'person' && isDirect(row.facts));
  const hidden = (value: unknown) => (hides && typeof value === 'string' ? pseudonym : column(value));
  return {
    person: target.kind === 'thread' || row.person === null ? column(row.person) : pseudonym,
    tenant: target.kind === 'tenant' && target.room === undefined ? pseudonym : column(row.tenant),
    room: hidden(row.room),
    thread: hidden(row.thread),
    facts: anonymousFacts(row.facts, target),
  };
}

/**
 * Returns the text to search for in `facts`, to find all records whose `detail` may name the target as the linked
 * person. Returns undefined if no record can name the target.
 */
export function linkedStart(target: ForgetTarget): string | undefined {
  const { kind, channel, tenant } = target;
  if (kind === 'thread' || (kind === 'tenant' && target.room !== undefined)) return undefined;
  const words = [channel, ...(tenant === undefined ? [] : [tenant])];
  return `"detail":${JSON.stringify(`${words.join('/')}/`).slice(0, -1)}`;
}

/**
 * Returns the new `facts` of a record of another person, whose `detail` names the target as the person who was linked;
 * undefined if it names somebody else. Returns `{}` for damaged facts, because they may name the target.
 */
export function factsWithoutLinked(
  { facts }: Row,
  target: ForgetTarget,
  pseudonym: string,
): string | undefined {
  const value = objectOf(facts);
  if (value === undefined) return '{}';
  const detail = textOf(value.detail);
  const { channel, tenant } = target;
  const isTarget =
    target.kind !== 'person' ||
    (tenant === undefined
      ? detail.startsWith(`${channel}/`) && detail.endsWith(`/${target.person}`)
      : detail === `${channel}/${tenant}/${target.person}`);
  return isTarget ? JSON.stringify({ ...value, detail: pseudonym }) : undefined;
}

/** Returns the record that the audit keeps of a deletion. It names no person. */
export function forgottenRecord(
  { target }: ForgetRequest,
  { outcome, pseudonym, removed }: Receipt,
  at: number,
): AuditRecord {
  const counts = Object.entries(removed).flatMap(([kind, count]) => (count > 0 ? [`${kind} ${count}`] : []));
  return {
    at,
    action: 'forget',
    outcome,
    channel: target.channel,
    ...(target.kind === 'thread' && { tenant: target.tenant, room: target.room, thread: target.thread }),
    ...(target.kind === 'tenant' && { tenant: target.room === undefined ? pseudonym : target.tenant }),
    ...(target.kind === 'person' && { person: pseudonym }),
    detail: [target.kind === 'tenant' && target.room !== undefined ? 'room' : target.kind, ...counts].join(
      ', ',
    ),
  };
}
