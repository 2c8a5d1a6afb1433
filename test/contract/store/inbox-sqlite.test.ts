import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../../src/store/index.ts';
import { type InboxOptions, inboxContract, type OpenInbox } from '../inbox-contract.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

inboxContract('SQLite in a file', async (options) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-inbox-'));
  const opened = await open(join(folder, 'parley.db'), options);
  return {
    ...opened,
    dispose: async () => {
      await opened.dispose();
      await rm(folder, { recursive: true });
    },
  };
});

async function open(file: string, options: InboxOptions): Promise<OpenInbox> {
  const clock = manualClock();
  // A different owner than the contract's, so that the opening of the store recovers none of its turns.
  const start = (): Promise<Store> =>
    openStore({ file, clock, log: recordingLog(), owner: 'the store itself', ...options });
  let store = await start();
  return {
    inbox: store.inbox,
    advance: clock.advance,
    reopen: async () => {
      await store.close();
      store = await start();
      return store.inbox;
    },
    dispose: () => store.close(),
  };
}
