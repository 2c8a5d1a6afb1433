import type { DatabaseSync } from 'node:sqlite';
import type { ForgetStore } from '../../core/stores/forgetting.ts';
import { orUnavailable } from '../../sqlite.ts';
import type { Engine } from '../engine.ts';
import { createForgetStore } from '../forgetting.ts';

export function createForgetting(database: DatabaseSync, engine: Engine): ForgetStore {
  const store = createForgetStore(engine, 'seq');
  return {
    ...store,
    async finish(request, receipt) {
      await store.finish(request, receipt);
      // Without this, the write-ahead log would keep deleted text. If another process is reading, the text stays there
      // until the next checkpoint.
      await orUnavailable(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    },
  };
}
