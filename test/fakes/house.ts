/** Builds the parts that `src/main.ts` passes to commands, so that tests can run commands without a new process. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channels, packages } from '../../adapters/registry.ts';
import { createTerminal } from '../../adapters/terminal/index.ts';
import { announced, type CommandDeps } from '../../src/cli/channels.ts';
import { overrides } from '../../src/config/environment.ts';
import type { ChannelState, Loaded } from '../../src/config/load.ts';
import { type Tree, withValue } from '../../src/settings/tree.ts';
import { loadConfig } from './load-config.ts';

export const house: CommandDeps = {
  channels: async () => channels,
  packages: async () => packages,
  terminal: async (show) => createTerminal(show),
};

/** Settings with one agent, the minimum for a complete configuration. */
export const oneAgent = {
  agents: { only: { interface: 'lite-key', credential: { kind: 'api-key', key: 'k' } } },
};

type Variables = Readonly<Record<string, string>>;

/** @param settings the content of the configuration file */
export function load(environment: Variables = {}, settings: Tree = {}, sandbox: Tree = oneAgent): Loaded {
  const folder = mkdtempSync(join(tmpdir(), 'parley-settings-'));
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, JSON.stringify(settings));
  try {
    return loadConfig({ environment, file, sandbox, channels });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function stateOf(loaded: Loaded, name: string): ChannelState {
  const found = loaded.channels.find(({ channel }) => channel.name === name);
  if (found === undefined) throw new Error(`There is no channel "${name}".`);
  return found;
}

export const lineOf = (loaded: Loaded, title: string): string | undefined =>
  announced(loaded).find((each) => each.title === title)?.line;

/** Returns the unchecked settings of a channel. Environment variables override the settings in `tree`. */
export function ownSettings(name: string, environment: Variables, tree: Tree = {}): unknown {
  const given = overrides(environment, channels);
  return given.reduce<Tree>((all, { path, value }) => withValue(all, path, value), tree)[name];
}
