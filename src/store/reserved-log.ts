import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Disk space reserved even while the log is empty, in bytes, so that it can be written when the disk is full. */
const RESERVE_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** A file of JSON values, one per line, in preallocated space. Unused bytes are zero. */
export interface ReservedLog {
  /** Values read when the log was opened, up to the first line that a crash cut off. */
  readonly found: readonly unknown[];
  /** Returns once the values are on disk. Throws if they could not be written; none of them is kept then. */
  append(values: readonly unknown[]): void;
  /** Overwrites all values, because they may hold people's messages. Throws if that fails. */
  clear(): void;
  close(): void;
}

/** Opens the log for its owner alone; makes it where it is missing. Throws what the file system throws. */
export function openReservedLog(file: string): ReservedLog {
  closeSync(openSync(file, 'a', 0o600));
  const bytes = readFileSync(file);
  const descriptor = openSync(file, 'r+');
  const { found, end } = readLines(bytes);
  let used = end;
  // A crash may leave bytes after the last whole line; a later line must not join them.
  if (bytes.length < RESERVE_BYTES || bytes.subarray(end).some((byte) => byte !== 0))
    zero(descriptor, end, Math.max(bytes.length, RESERVE_BYTES));
  return {
    found,
    append(values) {
      const lines = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
      writeAll(descriptor, lines, used);
      fdatasyncSync(descriptor);
      used += lines.length;
    },
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
      // Behind the last line end, where `newline` is -1, this reads an empty text, which is no JSON.
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
