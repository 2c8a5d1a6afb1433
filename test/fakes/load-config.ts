import {
  type CheckOptions,
  checkSettings,
  type Loaded,
  type ReadOptions,
  readSettings,
} from '../../src/config/load.ts';

export type LoadOptions = ReadOptions & CheckOptions;

/** Reads and checks the settings in one step. Throws as `checkSettings` does. */
export const loadConfig = (options: LoadOptions = {}): Loaded =>
  checkSettings(readSettings(options), options);
