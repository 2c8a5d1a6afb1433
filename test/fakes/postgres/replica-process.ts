/** A replica in a process of its own. It claims all turns it can, and writes a checkpoint of each claim every 200 ms. */

import { systemClock } from '../../../src/clock.ts';
import type { Claim } from '../../../src/core/stores/inbox.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { quiet } from '../quiet.ts';
import { installation } from './server.ts';

const EVERY_MS = 200;

/** Messages of the process: a claim, or the result of a checkpoint. */
export type Told =
  | { readonly kind: 'claimed'; readonly turn: string; readonly attempt: number }
  | { readonly kind: 'checkpoint'; readonly turn: string; readonly result: 'held' | 'lost' | 'failed' };

const { inbox } = await openPostgresStore({
  address: process.argv[2] ?? '',
  installation,
  clock: systemClock,
  log: quiet,
});
const claims = new Map<string, Claim>();
const tell = (told: Told) => void process.send?.(told);

for (;;) {
  await inbox.expire().catch(() => 0);
  const claim = await inbox.claim().catch(() => undefined);
  if (claim !== undefined) {
    claims.set(claim.turn.id, claim);
    tell({ kind: 'claimed', turn: claim.turn.id, attempt: claim.turn.attempt });
  }
  for (const [turn, held] of claims) {
    const result = await inbox
      .checkpoint(held, { text: { at: 0, text: 'words' } })
      .catch(() => 'failed' as const);
    tell({ kind: 'checkpoint', turn, result });
    if (result === 'lost') claims.delete(turn);
  }
  await systemClock.wait(EVERY_MS);
}
