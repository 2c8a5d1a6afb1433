/** The thread of `reader.ts`: runs statements on a connection that can only read. */

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadRequest, ReadResponse } from './reader.ts';

/** Maximum wait for another connection's lock, in milliseconds. Readers wait only while the log is being reset. */
const LOCK_WAIT_MS = 1_000;

const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: LOCK_WAIT_MS });

function respond({ id, text, values }: ReadRequest): ReadResponse {
  try {
    return { id, rows: database.prepare(text).all(...values) };
  } catch (thrown) {
    return { id, failure: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(respond(request)));
