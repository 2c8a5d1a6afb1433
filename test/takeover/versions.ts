/** Runs a bridge of an earlier version, kills it, and starts this version with the same data folder. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type DataFolder,
  makeDataFolder,
  type RunningParley,
  runParley,
} from '../e2e/house/running-parley.ts';

const WITHIN_MS = 40_000;
const START_MS = 90_000;

export const QUESTION = 'what is the data retention policy?';
/**
 * The agent repeats this question with 50 ms per character, so that there is time to kill the bridge in the middle of
 * the answer.
 */
export const SLOW = 'slow-demo: tell me everything at length, please, and take your time with it';

export const eventually = (look: () => unknown) => expect.poll(look, { timeout: WITHIN_MS, interval: 100 });

export interface Versions {
  /** Kills the earlier version with SIGKILL, then starts this version. */
  takeOver(): Promise<RunningParley>;
}

/**
 * Starts the earlier version before the tests of a suite, and calls `ready` with each running bridge. The returned
 * `takeOver` kills the earlier version and starts this version.
 */
export function bothVersions(
  environment: (data: DataFolder) => Promise<Readonly<Record<string, string>>>,
  ready: (parley: RunningParley) => void,
): Versions {
  let data: DataFolder;
  let running: RunningParley | undefined;
  let variables: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    const before = process.env.PARLEY_BEFORE;
    if (before === undefined) throw new Error('PARLEY_BEFORE names no checkout; use npm run takeover.');
    data = await makeDataFolder();
    variables = await environment(data);
    running = await runParley(data, variables, join(before, 'bin/parley.js'));
    ready(running);
  }, START_MS);
  afterAll(async () => {
    await running?.kill();
    await data?.remove();
  });
  return {
    async takeOver() {
      await running?.kill();
      running = await runParley(data, variables);
      ready(running);
      return running;
    },
  };
}
