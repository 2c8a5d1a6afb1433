import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Claim, Inbox, NewTurn } from '../../../src/core/stores/inbox.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.ts';
import { type PostgresPair, startPair } from '../../fakes/postgres/pair.ts';
import { installation, missing } from '../../fakes/postgres/server.ts';
import { newTurn } from '../turn-makers.ts';
import { recordingLog } from './manual-clock.ts';

const PATIENCE = { timeout: 60_000 };

describe.skipIf(missing)('a failover to a synchronous standby', () => {
  let pair: PostgresPair;
  let stores: PostgresStore[] = [];
  beforeAll(async () => {
    pair = await startPair();
  });
  afterAll(() => pair.stop());
  beforeEach(async () => {
    const address = await pair.database();
    const open = () => openPostgresStore({ address, installation, clock: systemClock, log: recordingLog() });
    stores = await Promise.all([open(), open()]);
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));

  const two = (): readonly [PostgresStore, PostgresStore] => {
    const [one, other] = stores;
    if (one === undefined || other === undefined) throw new Error('no stores');
    return [one, other];
  };

  /**
   * Looks for turns once and claims one, as a worker does. Resolves with undefined if there is none, or if the database
   * fails.
   */
  async function claimed(inbox: Inbox): Promise<Claim | undefined> {
    await inbox.expire().catch(() => 0);
    return inbox.claim().catch(() => undefined);
  }

  const countOf = async (what: string) =>
    Number((await pair.primary.query(`SELECT count(*) AS n FROM ${what}`))[0]?.n);

  test('loses no acknowledged turn, also of those that the standby had not received when the primary was killed', async () => {
    const [one, other] = two();
    const acknowledged: NewTurn[] = [];
    let isOver = false;
    const load = async (nth: number): Promise<void> => {
      const { inbox } = nth % 2 === 0 ? one : other;
      for (let n = 0; !isOver; n++) {
        const turn = newTurn(`${nth} ${n}`, `lane ${nth} ${n}`);
        await inbox.add(turn).then(
          () => acknowledged.push(turn),
          () => systemClock.wait(50),
        );
      }
    };
    const loads = Promise.all(Array.from({ length: 16 }, (_, nth) => load(nth)));
    await expect.poll(() => acknowledged.length, PATIENCE).toBeGreaterThan(300);
    // From now on, the standby does not receive what the primary commits.
    pair.cutOff();
    await systemClock.wait(1_500);
    await pair.primary.kill();
    await pair.promote();
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, PATIENCE).toBeGreaterThan(before + 100);
    isOver = true;
    await loads;
    for (const { id } of acknowledged) expect((await other.inbox.find(id))?.id).toBe(id);
    await pair.renew();
  });

  test('leaves each claim with one replica, which ends its turn, and hints are heard again', async () => {
    const [one, other] = two();
    await one.inbox.add(newTurn('1'));
    await one.inbox.add(newTurn('2'));
    let claim: Claim | undefined;
    await expect
      .poll(async () => {
        claim ??= (await claimed(one.inbox)) ?? (await claimed(other.inbox));
        return claim?.turn.id;
      }, PATIENCE)
      .toBe('1');
    if (claim === undefined) throw new Error('nothing was claimed');
    const held = claim;
    const [owner, stranger] = one.replica.id === held.owner ? [one, other] : [other, one];
    await pair.primary.kill();
    await pair.promote();
    // The replicas renewed their leases, unless this machine was too slow.
    await expect.poll(() => owner.inbox.renew(held).catch(() => 'unknown'), PATIENCE).toMatch(/held|lost/);
    if ((await owner.inbox.renew(held)) === 'held') {
      expect(await claimed(stranger.inbox)).toBeUndefined();
      expect(await owner.inbox.settle(held, 'answered')).toBe('settled');
    } else {
      expect(await owner.inbox.settle(held, 'answered')).toBe('lost');
    }

    const hints = "pg_stat_activity WHERE application_name = 'parley hints' AND query LIKE 'LISTEN%'";
    await expect.poll(() => countOf(hints), PATIENCE).toBe(2);
    const heard = new Set<PostgresStore>();
    for (const store of stores)
      store.inbox.onSignal(({ kind }) => void (kind === 'claimable' && heard.add(store)));
    // No worker runs here that would look for turns by itself, so only the hint can reach the replicas.
    await pair.primary.query("SELECT pg_notify('parley', 'claimable')");
    await expect.poll(() => heard.size, PATIENCE).toBe(2);
    await expect
      .poll(() => Promise.all(stores.map(({ replica }) => replica.holdsLease())), PATIENCE)
      .toEqual([true, true]);
    await pair.renew();
  });
});
