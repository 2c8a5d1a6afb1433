import type { DatabaseSync } from 'node:sqlite';
import type { Checkpoint } from '../core/stores/inbox.ts';
import { inTransaction } from '../sqlite.ts';
import { openReservedLog } from './reserved-log.ts';
import { type HeldClaim, noteCheckpoint } from './turn-table.ts';

/** A checkpoint that could not be written to the store. */
export interface PendingCheckpoint {
  readonly claim: HeldClaim;
  readonly known: Checkpoint;
}

/**
 * Checkpoints that wait while another process has locked the store or the disk is full (faults F29, F30). They are kept
 * in a file beside the store, so that text already shown survives a crash.
 */
export interface Backlog {
  /** Returns once the checkpoint is on disk. Throws if the backlog file cannot be written either. */
  keep(pending: readonly PendingCheckpoint[]): void;
  /** Moves everything into the store, oldest first. Must precede every other transaction. Throws as SQLite does. */
  drain(): void;
  close(): void;
}

/** Opens the backlog of the store's file, with what an earlier process left there. */
export function openBacklog(file: string, database: DatabaseSync): Backlog {
  const log = openReservedLog(`${file}.pending`);
  const sql = database.createTagStore();
  let waiting = log.found.filter(isPendingCheckpoint);
  return {
    keep(pending) {
      log.append(pending);
      waiting.push(...pending);
    },
    drain() {
      if (waiting.length === 0) return;
      inTransaction(database, () => {
        for (const { claim, known } of waiting) noteCheckpoint(sql, claim, known);
      });
      // Clear before newer writes: if a crash repeats these writes, they change nothing.
      log.clear();
      waiting = [];
    },
    close: log.close,
  };
}

/** Leaves out what only a damaged file or a later version can hold: the store would refuse it before every other write. */
function isPendingCheckpoint(value: unknown): value is PendingCheckpoint {
  if (!isPlain(value) || !isPlain(value.known) || !isPlain(value.claim) || !isPlain(value.claim.turn))
    return false;
  const { turn, owner } = value.claim;
  const { phase, agent, account, session, chatRecord, text } = value.known;
  return (
    typeof turn.id === 'string' &&
    typeof turn.attempt === 'number' &&
    typeof owner === 'string' &&
    [phase, agent, account, session, chatRecord].every((each) => isAbsentOrText(each)) &&
    (text === undefined || (isPlain(text) && typeof text.at === 'number' && typeof text.text === 'string'))
  );
}

const isAbsentOrText = (value: unknown): boolean => value === undefined || typeof value === 'string';

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
