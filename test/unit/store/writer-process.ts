/**
 * A process that stores turns, and reports each turn once it is on disk. It claims the first of every ten turns and
 * leaves it running.
 */

import { openStore } from '../../../src/store/index.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { newTurn } from '../../contract/turn-makers.ts';

const [file = '', turns = '0'] = process.argv.slice(2);
const IN_FLIGHT = 32;

const store = await openStore({
  file,
  clock: manualClock(),
  log: recordingLog(),
  laneLimit: Number(turns) + 1,
});
let next = 0;

async function loop(): Promise<void> {
  while (next < Number(turns)) {
    const n = next++;
    await store.inbox.add(newTurn(`${n}`, `lane ${n % 100}`));
    process.stdout.write(`kept ${n}\n`);
    if (n % 10 === 0) await store.inbox.claim();
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
await store.close();
