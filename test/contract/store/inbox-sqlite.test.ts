import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { openSqliteInbox } from '../../../src/store/sqlite/inbox.ts';
import { inboxContract } from '../inbox-contract.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

inboxContract('SQLite in a file', async (options) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-inbox-'));
  const { database, close } = openDatabase(join(folder, 'parley.db'));
  const clock = manualClock();
  const commits = createCommits({ database, clock });
  const start = (owner: string) =>
    openSqliteInbox({ database, commits, clock, log: recordingLog(), owner, ...options });
  return {
    inbox: await start('first'),
    another: () => start('another'),
    advance: clock.advance,
    // Moves the clock in steps, because the inbox does not expire leases right after the clock has jumped.
    takeOver: async (by) => {
      let back = 0;
      for (let step = 0; step < 6; step++) {
        clock.advance(options.leaseMs / 2);
        back += await by.expire();
      }
      return back;
    },
    reopen: () => start('first'),
    dispose: async () => {
      commits.close();
      close();
      await rm(folder, { recursive: true });
    },
  };
});
