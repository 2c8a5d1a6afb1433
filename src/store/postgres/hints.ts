/**
 * Hints between replicas through LISTEN and NOTIFY: a turn may be claimable, or was interrupted. A lost hint only
 * costs time, because every replica also reads the rows once a second.
 */

import pg from 'pg';
import { type Clock, within } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { type Steps, sql } from '../sql.ts';
import type { Database } from './database.ts';

const CHANNEL = 'parley';
/** Maximum wait for a connection, in milliseconds. */
const CONNECT_MS = 5_000;
/** Maximum wait for the end of a connection, in milliseconds. */
const END_MS = 500;
/** Interval between two checks of the connection, and the maximum wait for the response to a check, in milliseconds. */
const CHECK_EVERY_MS = 5_000;
const ANSWER_MS = 3_000;
/** Pause before a lost connection is replaced, in milliseconds. */
const RECONNECT_MS = 1_000;

/**
 * `claimable`: a turn may be claimable. `interrupted`: a running turn was interrupted. `rows`: rows of a channel have
 * changed. A hint does not name the turn;
 * the replica that receives it looks the turn up in the database.
 */
export type Hint = 'claimable' | 'interrupted' | 'rows';
const HINTS: readonly unknown[] = ['claimable', 'interrupted', 'rows'] satisfies Hint[];
/** Earlier and later versions may send other hints. */
const isHint = (payload: unknown): payload is Hint => HINTS.includes(payload);

/** Sends the hint to the other replicas when the transaction commits. */
export function* sendHint(hint: Hint): Steps<void> {
  yield sql`SELECT pg_notify(${CHANNEL}, ${hint})`;
}

interface HintDeps {
  readonly address: string;
  readonly database: Pick<Database, 'onMove'>;
  readonly clock: Clock;
  readonly log: Log;
  onHint(hint: Hint): Promise<void>;
}

/** Listens until `close`, and replaces a lost connection. */
export function openHints({ address, database, clock, log, onHint }: HintDeps): { close(): Promise<void> } {
  const closing = new AbortController();
  /** Ends the current connection. */
  let drop = (): void => undefined;
  database.onMove(() => drop());
  const listen = async (): Promise<void> => {
    const client = new pg.Client({
      connectionString: address,
      application_name: 'parley hints',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
    });
    const over = Promise.withResolvers<void>();
    client.on('error', (err) => {
      log.warn(
        { err },
        'The connection that announces new turns was lost. Until it is back, this replica looks for turns once a second.',
      );
      over.resolve();
    });
    client.on('end', over.resolve);
    drop = over.resolve;
    client.on('notification', ({ payload }) => {
      onHint(isHint(payload) ? payload : 'claimable').catch((err: unknown) =>
        log.debug({ err }, 'A hint of another replica could not be handled.'),
      );
    });
    closing.signal.addEventListener('abort', () => over.resolve(), { once: true });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      await checked(client, over.promise, clock);
    } finally {
      // If the connection was cut silently, the server never confirms its end.
      await within(
        client.end().catch(() => undefined),
        END_MS,
        clock,
      );
    }
  };
  const listening = (async () => {
    while (!closing.signal.aborted) {
      await listen().catch((err: unknown) =>
        log.debug({ err }, 'Hints of other replicas cannot be received.'),
      );
      await clock.wait(RECONNECT_MS, closing.signal).catch(() => undefined);
    }
  })();
  return {
    close: async () => {
      closing.abort();
      await listening;
    },
  };
}

/**
 * Resolves when the connection ended. Checks the connection again and again, because a network may drop packets
 * silently, and rejects when it no longer answers.
 */
async function checked(client: pg.Client, ended: Promise<void>, clock: Clock): Promise<void> {
  const isOver = ended.then(() => true);
  while ((await within(isOver, CHECK_EVERY_MS, clock)) === undefined) await client.query('SELECT 1');
}
