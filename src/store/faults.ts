import { BridgeError } from '../errors.ts';

/** SQLite's primary result codes (sqlite.org/rescode.html) that name their own cure. */
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** The primary result code of an error of node:sqlite; `undefined` for any other error. */
function resultCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  return typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : undefined;
}

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

export function isHeldElsewhere(thrown: unknown): boolean {
  const code = resultCode(thrown);
  return code === BUSY || code === LOCKED;
}

/** Why a store could not be opened: `data-corrupt`, `data-in-use` or `data-not-writable`. */
export function openingFault(thrown: unknown, file: string): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const code = resultCode(thrown);
  if (code === CORRUPT || code === NOT_A_DATABASE) return corrupt(file, thrown);
  if (isHeldElsewhere(thrown)) {
    return new BridgeError(
      'data-in-use',
      `Another process is using ${file}. Stop it, or give this bridge a data folder of its own.`,
      { cause: thrown },
    );
  }
  return new BridgeError(
    'data-not-writable',
    `The store ${file} cannot be opened for writing (${reasonOf(thrown)}). Make its folder writable for this user, or name another data folder.`,
    { cause: thrown },
  );
}

export function corrupt(file: string, cause: unknown): BridgeError {
  return new BridgeError(
    'data-corrupt',
    `The store ${file} is damaged (${reasonOf(cause)}). Move it away together with its -wal and -shm files and start again, or put a backup in its place.`,
    { cause },
  );
}

/** A read or write that the opened store refused; the next one is tried as usual. */
export function storeUnavailable(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  return new BridgeError(
    'store-unavailable',
    `The store did not take a read or a write (${reasonOf(thrown)}). Look at the disk of the data folder: its free space, its health, its permissions.`,
    { cause: thrown },
  );
}

/** What `work` gives; rejects with `store-unavailable` when the store fails at it. */
export async function orUnavailable<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
