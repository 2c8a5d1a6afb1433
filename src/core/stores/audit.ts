/** The audit: who did what, where and with which result. Contains no text of people or agents unless a setting adds it. */

import type { ErrorCode } from '../../errors.ts';
import type { TurnId } from '../ids.ts';
import type { Person, ThreadRef } from '../message.ts';
import type { ReplyDocument } from '../reply.ts';

/**
 * Names of the recorded actions. The first five are turns, named after the kind of their origin. Exports contain the
 * names, so they must not change.
 */
export type AuditAction =
  | 'ask'
  | 'retry'
  | 'regenerate'
  | 'show'
  | 'withdraw'
  | 'save-files'
  | 'search'
  | 'share'
  | 'correct'
  | 'administer'
  | 'stop'
  | 'sign-in'
  | 'link'
  | 'reload-rules'
  | 'operate'
  | 'forget';

/** A document behind an answer. */
export interface AuditedSource {
  readonly id: string;
  readonly title?: string;
}

/** Facts about the end of a turn that only the process that ran it knows. */
export interface TurnFacts {
  /** Length of the answer, in UTF-16 units. */
  readonly answerChars: number;
  /** The error because of which the answer failed or was interrupted. */
  readonly code?: ErrorCode;
  readonly sources?: readonly AuditedSource[];
  /** The texts, if the setting `audit.text` adds them. */
  readonly question?: string;
  readonly answer?: string;
}

/** One record. Properties that do not apply are absent. */
export interface AuditRecord extends Partial<TurnFacts> {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly action: AuditAction;
  /** The state in which a turn ended; `done`, `refused` or `unconfirmed` for an act. */
  readonly outcome: string;
  /** The channel's id of the person who acted. */
  readonly person?: string;
  readonly channel?: string;
  readonly tenant?: string;
  readonly room?: string;
  /** The channel's key of the thread in its room. */
  readonly thread?: string;
  readonly kind?: string;
  readonly turn?: TurnId;
  readonly agent?: string;
  /** The platform account under which the agent ran; absent if it used its own credential. */
  readonly account?: string;
  readonly session?: string;
  /** Time from the storing of the question to the end of its turn, in milliseconds. */
  readonly ms?: number;
  /** Length of the question, in UTF-16 units. */
  readonly questionChars?: number;
  /** Number of files. */
  readonly files?: number;
  /** The rule that decided, as `FILE:LINE`. */
  readonly rule?: string;
  /** What the act concerned, such as the id of a document; never text of people or agents. */
  readonly detail?: string;
}

/** An act other than a turn. The store adds the time. */
export type Act = Omit<AuditRecord, 'at'>;

export interface AuditStore {
  /** Adds a record. Turns add theirs when they end, in the same transaction. */
  add(act: Act): Promise<void>;
  /**
   * Resolves with at most `limit` records, oldest first, from the time `from` (inclusive) to `to` (exclusive); with
   * fewer if they are long, but at least one if there is any. If `after` is set, only records that follow it count.
   */
  page(range: AuditRange, limit: number): Promise<readonly StoredRecord[]>;
  /** Deletes at most 1,000 records that are older than `before`. Resolves with their number. */
  prune(before: number): Promise<number>;
}

/** Times are in milliseconds since the epoch. */
export interface AuditRange {
  readonly from: number;
  readonly to: number;
  /** The last record of the previous page. */
  readonly after?: StoredRecord | undefined;
  /** Only records of this person. */
  readonly person?: AuditedPerson | undefined;
}

/** A person, named by the channel's id. If the channel or the tenant is absent, matches the id in all of them. */
export interface AuditedPerson {
  readonly id: string;
  readonly channel?: string;
  readonly tenant?: string;
}

export interface StoredRecord extends AuditRecord {
  /** Orders the records that have the same time. */
  readonly seq: number;
}

/** Notes an act. Never rejects: an act that cannot be recorded is logged. */
export type NoteAct = (act: Act) => Promise<void>;

/** Returns the properties of a record that name the person who acted and the place. */
export function actIn(
  { channel, tenant, room, key: thread, kind }: ThreadRef,
  { id: person }: Pick<Person, 'id'>,
): Pick<Act, 'channel' | 'tenant' | 'room' | 'thread' | 'kind' | 'person'> {
  return { channel, tenant, room, thread, kind, person };
}

/** The operator's choice of what the audit contains about an answer. */
export interface AuditPolicy {
  readonly sources: 'off' | 'ids' | 'titles';
  readonly text: boolean;
}

/** Returns the facts that the audit records about the end of an answer. */
export function turnFacts(document: ReplyDocument, question: string, policy: AuditPolicy): TurnFacts {
  const sources = document.sources.map(({ key, document: id = key, title }) => ({
    id,
    ...(policy.sources === 'titles' && { title }),
  }));
  return {
    answerChars: document.text.length,
    ...(document.error !== undefined && { code: document.error }),
    ...(policy.sources !== 'off' && sources.length > 0 && { sources }),
    ...(policy.text && { question, answer: document.text }),
  };
}
