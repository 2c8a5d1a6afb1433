/** A bridge with a new data folder for each test, which the test can kill and start again on the same folder. */

import { afterEach, beforeEach } from 'vitest';
import { ConsoleClient } from './console-client.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './running-parley.ts';

export interface BridgeRig {
  /** Path of the data folder. */
  readonly folder: string;
  /** Starts the bridge and resolves with a client of its console. */
  start(): Promise<ConsoleClient>;
  /** Ends the bridge with SIGKILL, as a power cut does. */
  kill(): Promise<void>;
  /** Ends the bridge with SIGTERM and resolves with its exit code. */
  terminate(): Promise<number | null>;
  /** Everything that the bridge of the last `start` wrote. */
  output(): string;
}

export function eachWithBridge(): BridgeRig {
  let data: DataFolder;
  let parley: RunningParley | undefined;
  const running = (): RunningParley => {
    if (parley === undefined) throw new Error('The test has not started the bridge.');
    return parley;
  };
  beforeEach(async () => {
    parley = undefined;
    data = await makeDataFolder();
  });
  afterEach(async () => {
    await parley?.kill();
    await data.remove();
  });
  return {
    get folder() {
      return data.path;
    },
    async start() {
      parley = await runParley(data);
      return new ConsoleClient(parley.url);
    },
    kill: () => running().kill(),
    terminate: () => running().terminate(),
    output: () => running().output(),
  };
}
