import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Checkpoint } from '../../core/stores/inbox.ts';
import { inTransaction } from '../../sqlite.ts';
import { noteCheckpoints } from '../turns/claims.ts';
import type { Held } from '../turns/table.ts';
import { createRun } from './run.ts';
import { createTurnTable } from './turns.ts';

/** A checkpoint that could not be written to the store. */
export interface PendingCheckpoint {
  readonly claim: Held;
  readonly known: Checkpoint;
}

/**
 * Checkpoints that cannot be written while another process has locked the store or the disk is full (faults
 * F29, F30). They are stored in a file next to the store, so that text that people have seen survives a
 * crash.
 */
export type Backlog = ReturnType<typeof openBacklog>;

/** Opens the backlog of the store's file, including checkpoints of an earlier process. */
export function openBacklog(file: string, database: DatabaseSync) {
  const log = openReservedLog(`${file}.pending`);
  const run = createRun(database);
  // A checkpoint stores no time.
  const table = createTurnTable({ now: () => 0 });
  let waiting = log.found.filter(isPendingCheckpoint);
  return {
    /**
     * Stores the checkpoints on disk before it returns. Throws if the backlog file cannot be written either.
     */
    keep(pending: readonly PendingCheckpoint[]) {
      log.append(pending);
      waiting.push(...pending);
    },
    /**
     * Moves all checkpoints to the store, oldest first. Must be called before any other transaction. Throws
     * SQLite's errors.
     */
    drain() {
      if (waiting.length === 0) return;
      inTransaction(database, () => {
        for (const each of waiting) run(noteCheckpoints(table, [each]));
      });
      // Clear the log before the next write to the store. If a crash prevents that, the next process writes the same
      // checkpoints again, which changes nothing as long as the store has no newer ones.
      log.clear();
      waiting = [];
    },
    close: log.close,
  };
}

/**
 * False for entries that only a damaged file or a later version can contain. Such an entry would make every write to
 * the store fail.
 */
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

/**
 * Disk space that is reserved even while the log is empty, in bytes, so that the log can be written when the
 * disk is full.
 */
const RESERVE_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** A file of JSON values, one per line, in preallocated space. Unused bytes are zero. */
export type ReservedLog = ReturnType<typeof openReservedLog>;

/** Opens the log, and creates it if it is missing. Only its owner may read it. Throws errors of the file system. */
export function openReservedLog(file: string) {
  closeSync(openSync(file, 'a', 0o600));
  const bytes = readFileSync(file);
  const descriptor = openSync(file, 'r+');
  const { found, end } = readLines(bytes);
  let used = end;
  // A crash may leave bytes after the last whole line; later lines must not be appended to them.
  if (bytes.length < RESERVE_BYTES || bytes.subarray(end).some((byte) => byte !== 0))
    zero(descriptor, end, Math.max(bytes.length, RESERVE_BYTES));
  return {
    /** Values read when the log was opened, up to the first incomplete line, which a crash left. */
    found,
    /** Writes the values to disk before it returns. If it throws, none of the values is kept. */
    append(values: readonly unknown[]) {
      const lines = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
      writeAll(descriptor, lines, used);
      fdatasyncSync(descriptor);
      used += lines.length;
    },
    /** Overwrites all values, because they may contain people's messages. Throws if that fails. */
    clear() {
      zero(descriptor, 0, used);
      ftruncateSync(descriptor, RESERVE_BYTES);
      used = 0;
    },
    close: () => closeSync(descriptor),
  };
}

function readLines(bytes: Buffer): { readonly found: readonly unknown[]; readonly end: number } {
  const found: unknown[] = [];
  let end = 0;
  for (;;) {
    const newline = bytes.indexOf(NEWLINE, end);
    try {
      // After the last line, `newline` is -1; `toString` then returns an empty text, which is invalid JSON
      // and ends the loop.
      found.push(JSON.parse(bytes.toString('utf8', end, newline)));
    } catch {
      return { found, end };
    }
    end = newline + 1;
  }
}

function zero(descriptor: number, from: number, to: number): void {
  writeAll(descriptor, Buffer.alloc(to - from), from);
  fdatasyncSync(descriptor);
}

/** Loops because a nearly full disk may accept only part of a write. */
function writeAll(descriptor: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written, at + written);
}
