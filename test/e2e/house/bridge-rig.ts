/** A bridge with a new data folder for each test. The test can kill it and restart it on the same folder. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type ScriptedPlatform, startPlatform } from '../../fakes/history/platform.ts';
import { questionOf } from '../../fakes/history/saying.ts';
import { nextId } from '../../fakes/history/scene.ts';
import { ConsoleClient } from './console-client.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './running-parley.ts';

export interface BridgeRig {
  /** Path of the data folder. */
  readonly folder: string;
  /** Starts the bridge and resolves with a client of its console. */
  start(): Promise<ConsoleClient>;
  /** Kills the bridge with SIGKILL, as suddenly as a power cut. */
  kill(): Promise<void>;
  /** Ends the bridge with SIGTERM. Resolves with its exit code. */
  terminate(): Promise<number | null>;
  /** Output of the bridge since the last `start`. */
  output(): string;
}

type Environment = Readonly<Record<string, string>>;

/** @param environmentIn returns the environment variables for a data folder; by default, the embedded sandbox runs */
export function eachWithBridge(environmentIn?: (folder: string) => Promise<Environment>): BridgeRig {
  let data: DataFolder;
  let environment: Environment | undefined;
  let parley: RunningParley | undefined;
  const running = (): RunningParley => {
    if (parley === undefined) throw new Error('The test has not started the bridge.');
    return parley;
  };
  beforeEach(async () => {
    parley = undefined;
    data = await makeDataFolder();
    environment = await environmentIn?.(data.path);
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
      parley = await runParley(data, environment);
      return new ConsoleClient(parley.url);
    },
    kill: () => running().kill(),
    terminate: () => running().terminate(),
    output: () => running().output(),
  };
}

/** An agent that writes half of each answer, and the other half when the test releases it. */
export interface HalfAgent {
  /** Returns the text of a question that names this agent. */
  question(): string;
  release(): void;
  /**
   * Returns the environment variables of a bridge that has only this agent.
   * @param more further settings of the platform
   */
  environmentIn(folder: string, more?: string): Promise<Environment>;
  /** The headers `traceparent` of the questions so far. */
  traceparents(): readonly (string | undefined)[];
}

export function eachWithHalfAgent(): HalfAgent {
  let platform: ScriptedPlatform;
  let asked: string[];
  beforeEach(async () => {
    platform = await startPlatform();
    asked = [];
  });
  afterEach(() => platform.close());
  return {
    question() {
      const id = nextId();
      asked.push(id);
      return `@half ${questionOf({ id, ms: 300, everyMs: 50, chars: 400, held: true })}`;
    },
    release() {
      for (const id of asked) platform.release(id);
    },
    traceparents: () => platform.askings.map(({ traceparent }) => traceparent),
    async environmentIn(folder, more) {
      const file = join(folder, 'parley.yaml');
      const agent = '{ interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } }';
      await writeFile(
        file,
        `platform: { ${[`baseUrl: '${platform.url}'`, ...(more === undefined ? [] : [more])].join(', ')} }\nagents: { half: ${agent} }\n`,
      );
      return { PARLEY_CONFIG: file };
    },
  };
}
