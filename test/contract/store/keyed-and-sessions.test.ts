import { openStore } from '../../../src/store/index.ts';
import { keyedContract } from '../keyed-contract.ts';
import { sessionContract } from '../session-contract.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

async function open() {
  const clock = manualClock();
  const store = await openStore({ file: ':memory:', clock, log: recordingLog() });
  return {
    keyed: store.keyed,
    sessions: store.sessions,
    advance: clock.advance,
    dispose: () => store.close(),
  };
}

keyedContract('SQLite through keyv', open);
sessionContract('SQLite through keyv', open);
