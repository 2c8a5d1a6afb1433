import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Claim, Inbox, NewTurn } from '../../core/stores/inbox.ts';
import type { Engine } from '../engine.ts';
import type { Signals } from '../signals.ts';
import type { Steps } from '../sql.ts';
import type { AddedTurn } from '../store.ts';
import { type Noted, noteCheckpoints } from '../turns/claims.ts';
import { createInbox, LANE_LIMIT, logUnreadable } from '../turns/inbox.ts';
import { addTurns } from './adding.ts';
import type { Batches } from './batches.ts';
import { claimTurns, interruptionsOf, renewClaims } from './claims.ts';
import { LEASE_MS } from './lease.ts';
import { type OwnClaims, trackOwnClaims } from './own-claims.ts';
import type { Replica } from './replica.ts';

interface InboxDeps {
  readonly engine: Engine;
  readonly batches: Batches;
  /** Batches of claims, and of changes for which a channel waits. They do not wait for checkpoints of running turns. */
  readonly urgent: Batches;
  readonly clock: Clock;
  readonly log: Log;
  readonly replica: Replica;
  readonly signals: Signals;
  readonly laneLimit?: number | undefined;
}

/** Creates the inbox of one replica on PostgreSQL. Concurrent calls of one kind share a transaction. */
export function createPostgresInbox(deps: InboxDeps): Inbox {
  const { engine, batches, urgent, replica, signals, laneLimit = LANE_LIMIT } = deps;
  const { table } = replica;
  const ownClaims = trackOwnClaims(engine, replica, deps.clock);
  const grouped = <Call, Result>(work: (calls: readonly Call[]) => Steps<readonly Result[]>) =>
    batches.kind<Call, Result>((calls) => engine.transaction(() => work(calls)));
  const add = urgent.kind<NewTurn, AddedTurn>(
    (turns) =>
      engine.transaction(function* () {
        yield* replica.assign(turns.map(({ message }) => message.thread));
        return yield* addTurns(table, turns, laneLimit);
      }),
    { isUrgent: true },
  );
  const claim = urgent.kind((calls) => claimSome(calls.length, deps, ownClaims));
  const alone = urgent.kind<() => Promise<unknown>, unknown>(
    async (works) => {
      const results: unknown[] = [];
      for (const work of works) results.push(await work());
      return results;
    },
    { isUrgent: true },
  );
  const renew = grouped(renewClaims);
  const note = grouped((notes: readonly Noted[]) => noteCheckpoints(table, notes));
  // Runs in the same batches as the claims, and therefore never while a claim is in progress.
  const giveBackUnknown = urgent.kind(async (calls: readonly undefined[]) => {
    const back = await ownClaims.giveBackUnknown();
    return calls.map(() => back);
  });
  return {
    ...createInbox({
      table,
      engine,
      signals,
      laneLimit,
      add,
      grouped,
      urgently: async <T>(steps: () => Steps<T>) => (await alone(() => engine.transaction(steps))) as T,
      ended: ownClaims.remove,
    }),
    isShared: true,
    claim: () => claim(undefined),
    renew,
    holdsLease: ({ owner }) => replica.holdsLease() && owner === replica.id,
    checkpoint: (held, known) => note({ claim: held, known }),
    expire: async () => {
      for (const each of await engine.read(interruptionsOf(replica.id))) signals.send(each);
      const back = (await replica.takeOver()) + (await giveBackUnknown(undefined));
      if (back > 0) signals.send({ kind: 'claimable' });
      return back;
    },
    handOver: replica.handOver,
    close: async () => void (await Promise.all([urgent.close(), batches.close()])),
  };
}

/** Claims up to `limit` turns. Resolves with `limit` entries; the entries without a turn are undefined. */
async function claimSome(
  limit: number,
  { engine, clock, replica, log }: InboxDeps,
  ownClaims: OwnClaims,
): Promise<readonly (Claim | undefined)[]> {
  const lease = { owner: replica.id, limit, until: clock.now() + LEASE_MS };
  const { claims, unreadable } = await engine
    .transaction(() => claimTurns(replica.table, lease))
    .catch((thrown: unknown) => {
      ownClaims.failed();
      throw thrown;
    });
  ownClaims.add(claims);
  logUnreadable(log, unreadable, claims);
  return Array.from({ length: limit }, (_, nth) => claims[nth]);
}
