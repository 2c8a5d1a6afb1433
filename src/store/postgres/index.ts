/**
 * The engine for several replicas: PostgreSQL (`database.ts`, `schema.ts`). Concurrent calls of one kind share a
 * transaction (`batches.ts`). The inbox (`inbox.ts`) runs the statements of the folder `turns`, and its own of
 * `adding.ts` and `claims.ts`. A tenant's turns are claimed by the replica that owns it (`replica.ts`).
 */

import { hostname } from 'node:os';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { SharedDatabase } from '../../core/stores/shared-database.ts';
import { createAudit } from '../audit.ts';
import { createFeedback } from '../feedback.ts';
import { createForgetStore } from '../forgetting.ts';
import { keyedRowsOf } from '../keyed-rows.ts';
import { createSessions } from '../sessions.ts';
import { createSignals } from '../signals.ts';
import type { Store } from '../store.ts';
import { serveChannels } from '../turns/serving.ts';
import { createBatches } from './batches.ts';
import { interruptionsOf } from './claims.ts';
import { type Database, openDatabase } from './database.ts';
import { createEngine, runSteps } from './engine.ts';
import { type Hint, openHints, sendHint } from './hints.ts';
import { createPostgresInbox } from './inbox.ts';
import type { Installation } from './installation.ts';
import { createJobs } from './jobs.ts';
import { createKeyed } from './keyed.ts';
import { refuseMovedDatabase } from './moving.ts';
import { openingFault } from './opening-fault.ts';
import { openDatabaseReader } from './reader.ts';
import { joinReplicas, type Replica } from './replica.ts';
import { migrate } from './schema.ts';
import { countInFlight, readGauges } from './status.ts';

interface StoreOptions {
  /** The server's address, as in `DATABASE_URL`. */
  readonly address: string;
  readonly installation: Installation;
  /** Version of this bridge, which `parley status` shows. */
  readonly version?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum number of waiting turns per lane; 50 by default. */
  readonly laneLimit?: number;
  /** Time after which an unused session expires, in milliseconds; 30 days by default. */
  readonly sessionIdleMs?: number;
}

/** Maximum connections for the channels that keep data of their own. The first use opens them. */
const CHANNEL_CONNECTIONS = 3;

export interface PostgresStore extends Store {
  readonly replica: Pick<Replica, 'id' | 'holdsLease'>;
}

/**
 * Opens the store in PostgreSQL, and joins the replicas that share it. Rejects with `database-unreachable`,
 * `database-refused` or `database-foreign`.
 */
export async function openPostgresStore(options: StoreOptions): Promise<PostgresStore> {
  const { address, installation, version = '', clock, log, laneLimit } = options;
  const database = openDatabase(address, log);
  const leasing = openDatabase(address, log, 1);
  const channels = openDatabase(address, log, CHANNEL_CONNECTIONS);
  try {
    await migrate(database, installation);
    const checkpoints = countInFlight();
    const startedAt = clock.now();
    const report = () => ({ host: hostname(), version, startedAt, checkpointsBehind: checkpoints.count });
    const replica = await joinReplicas({ database, leasing, clock, log, report });
    await refuseMovedDatabase(database.query).catch(async (thrown: unknown) => {
      await replica.leave();
      throw thrown;
    });
    const [engine, reader] = [createEngine(database, replica.time), openDatabaseReader(address, log)];
    const [urgent, batches, single] = threeBatches(() => createBatches(clock, database.silentMs));
    const signals = createSignals(log);
    const listeners = new Set<() => void>();
    const onHint = async (hint: Hint) => {
      if (hint === 'rows') {
        for (const listener of listeners) listener();
        return;
      }
      if (hint === 'claimable') return signals.send({ kind: 'claimable' });
      for (const each of await engine.read(interruptionsOf(replica.id))) signals.send(each);
    };
    const hints = openHints({ address, database, clock, log, onHint });
    const inbox = createPostgresInbox({ engine, batches, urgent, clock, log, replica, signals, laneLimit });
    const keyed = createKeyed(engine, { batches, single }, replica.time, log);
    const slowly = createEngine({ ...database, transaction: database.longTransaction }, replica.time);
    return {
      isShared: true,
      database: shareWithChannels(channels, listeners),
      inbox: { ...inbox, checkpoint: checkpoints.counted(inbox.checkpoint) },
      keyed,
      keyedRows: keyedRowsOf(engine),
      replica,
      sessions: createSessions(keyed('sessions'), options.sessionIdleMs),
      feedback: createFeedback(engine),
      audit: createAudit(engine),
      forgetting: createForgetStore(slowly, 'id'),
      serve: (channels) => serveChannels(engine, replica.table, channels),
      replicas: () => replica.count,
      once: createJobs(database),
      reader,
      gauges: () => readGauges(database.query, replica, checkpoints.count),
      probe: async () => void (await database.query('UPDATE parley.schema SET version = version')),
      close: async () => {
        await Promise.all([inbox.close(), single.close()]);
        await hints.close();
        await replica.leave();
        await Promise.all([reader.close(), leasing.close(), channels.close(), database.close()]);
      },
    };
  } catch (thrown) {
    await Promise.all([leasing.close(), channels.close(), database.close()]);
    throw openingFault(thrown);
  }
}

/** @param listeners called when a replica has changed rows of a channel */
const shareWithChannels = ({ query, transaction }: Database, listeners: Set<() => void>): SharedDatabase => ({
  query,
  transaction,
  hint: (within) => runSteps(within, sendHint('rows')),
  onHint: (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
});

const threeBatches = <T>(open: () => T): readonly [T, T, T] => [open(), open(), open()];
