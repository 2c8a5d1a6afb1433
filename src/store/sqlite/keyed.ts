import type { DatabaseSync } from 'node:sqlite';
import { jsonSerializer } from 'keyv';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Keyed } from '../../core/stores/keyed.ts';
import { orUnavailable } from '../../sqlite.ts';
import * as shared from '../keyed.ts';
import type { Steps } from '../sql.ts';
import type { Commits } from './commits.ts';
import { createRun } from './run.ts';

export interface KeyedDeps {
  readonly database: DatabaseSync;
  readonly commits: Commits;
  readonly clock: Clock;
  readonly log: Log;
}

/** Values have keyv's form, because earlier versions stored them with keyv. */
export function createKeyed({ database, commits, clock, log }: KeyedDeps): (namespace: string) => Keyed {
  const run = createRun(database);
  const alone =
    <Call, Result>(work: (calls: readonly Call[]) => Steps<readonly Result[]>) =>
    (call: Call) =>
    () =>
      run(work([call]))[0] as Result;
  return shared.createKeyed({
    time: clock,
    log,
    medium: 'disk',
    encode: (value) => jsonSerializer.stringify({ value }),
    decode: (text) => Object(jsonSerializer.parse(text)).value,
    reading: (work) => (call) => orUnavailable(alone(work)(call)),
    swapping: (work) => (call) => commits.write(alone(work)(call)),
    writing: (work) => (change) =>
      (change.value === undefined ? commits.write : commits.writeSoon)(alone(work)(change)),
  });
}
