import type { Log } from '../../core/log.ts';
import type { Keyed } from '../../core/stores/keyed.ts';
import type { Engine } from '../engine.ts';
import * as shared from '../keyed.ts';
import type { Steps } from '../sql.ts';
import type { StoreTime } from '../turns/table.ts';
import type { Batches } from './batches.ts';

/** @param single batches whose groups need no transaction: reads, and replacements of a value that is compared first */
export function createKeyed(
  engine: Engine,
  { batches, single }: { readonly batches: Batches; readonly single: Batches },
  time: StoreTime,
  log: Log,
): (namespace: string) => Keyed {
  const outside = <Call, Result>(work: (calls: readonly Call[]) => Steps<readonly Result[]>) =>
    single.kind<Call, Result>((calls) => engine.read(work(calls)));
  return shared.createKeyed({
    time,
    log,
    medium: 'database',
    encode: JSON.stringify,
    decode: JSON.parse,
    reading: outside,
    swapping: outside,
    writing: (work) =>
      batches.kind<shared.Change, undefined>((changes) => engine.transaction(() => work(changes))),
  });
}
