/**
 * Two PostgreSQL servers, one of them a synchronous standby, behind one address that leads to the primary.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { startProxy, type TcpProxy } from './proxy.ts';
import { type PostgresServer, startPostgres } from './server.ts';

export interface PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Empties the database, and resolves with the address that leads to the primary, also after a failover. */
  database(): Promise<string>;
  /** Loses all data that is sent to the standby, like a network that loses every packet. */
  cutOff(): void;
  /**
   * Promotes the standby after the primary was killed, and lets the address lead to the new primary. After that, no
   * standby confirms commits until `renew` is called.
   */
  promote(): Promise<void>;
  /** Replaces the killed server by a new synchronous standby. */
  renew(): Promise<void>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** The primary keeps 256 MB of its log, so that a new standby can still receive it. */
const settings = ['wal_keep_size=256MB'];

export async function startPair(): Promise<PostgresPair> {
  let primary = await startPostgres({ settings });
  const [proxy, replication] = [await startProxy(primary.port), await startProxy(primary.port)];
  let standby = await attachStandby(primary, replication);
  /** The killed server, whose files remain. */
  let killed: PostgresServer | undefined;
  return {
    get primary() {
      return primary;
    },
    get standby() {
      return standby;
    },
    async database() {
      const address = new URL(await primary.database());
      address.port = String(proxy.port);
      return address.href;
    },
    cutOff: () => replication.set('half-open'),
    async promote() {
      killed = primary;
      await standby.query('SELECT pg_promote()');
      await setConfirming(standby, '');
      primary = standby;
      proxy.leadTo(primary.port);
    },
    async renew() {
      await killed?.stop();
      killed = undefined;
      replication.leadTo(primary.port);
      replication.set('open');
      standby = await attachStandby(primary, replication);
    },
    async stop() {
      for (const server of new Set([standby, primary, killed])) await server?.stop();
      await Promise.all([proxy.close(), replication.close()]);
    },
  };
}

/** Starts a standby. Resolves when it confirms each commit. */
async function attachStandby(primary: PostgresServer, { port }: TcpProxy): Promise<PostgresServer> {
  const standby = await startPostgres({ settings, standbyOf: { primary, port } });
  await setConfirming(primary, 'standby');
  const confirming = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  for (const deadline = Date.now() + PATIENCE_MS; (await primary.query(confirming)).length === 0; ) {
    if (Date.now() > deadline) throw new Error('The standby does not confirm commits.');
    await pause(LOOK_EVERY_MS);
  }
  return standby;
}

/** Sets which standby must confirm each commit. With an empty name, no standby must confirm. */
async function setConfirming(server: PostgresServer, standby: string): Promise<void> {
  await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
  await server.query('SELECT pg_reload_conf()');
}
