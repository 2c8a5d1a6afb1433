/** Watches a file that an operator replaces while the bridge runs. */

import { stat } from 'node:fs/promises';
import { type Clock, orAborted } from '../core/clock.ts';

/** Interval between checks of the file, in milliseconds. */
const LOOK_MS = 1_000;
/** Number of checks after which a file is read even if it has changed before each of them. */
const MAX_LOOKS = 10;

/**
 * Checks the file each second, because notifications of the file system get lost on network drives and when a
 * container's volume is replaced. Calls `changed` when two checks in a row find the same new state, so that the file is
 * not read while it is written. If the file keeps changing, calls `changed` after 10 s.
 */
export async function watchFile(
  file: string,
  clock: Clock,
  signal: AbortSignal,
  changed: () => Promise<void>,
): Promise<void> {
  // The file may have changed since it was read at the start, so the state that the first check finds counts as new.
  let read: string | undefined;
  let last: string | undefined;
  /** Number of checks since the file was first found in a state that has not been read yet. */
  let looks = 0;
  while (!signal.aborted) {
    await clock.wait(LOOK_MS, signal).catch(() => undefined);
    // A check of a network drive may never end.
    const stamp = await orAborted(stampOf(file), signal).catch(() => last);
    looks = stamp === read ? 0 : looks + 1;
    if (!signal.aborted && looks > 0 && (stamp === last || looks >= MAX_LOOKS)) {
      [read, looks] = [stamp, 0];
      await changed();
    }
    last = stamp;
  }
}

const stampOf = (file: string): Promise<string> =>
  stat(file).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    () => 'missing',
  );
