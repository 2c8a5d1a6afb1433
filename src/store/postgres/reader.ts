import type { Log } from '../../core/log.ts';
import type { Reader } from '../reader.ts';
import { openDatabase } from './database.ts';
import { createEngine } from './engine.ts';
import { readStatus } from './status.ts';

/** Maximum number of connections of a reader. They are none of the connections for questions and replies. */
const CONNECTIONS = 2;

export function openDatabaseReader(address: string, log: Log): Reader {
  const database = openDatabase(address, log, CONNECTIONS);
  const { read, now, wraps } = createEngine(database);
  return { read, now, wraps, status: () => readStatus(database.query), close: database.close };
}
