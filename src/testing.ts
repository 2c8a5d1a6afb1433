/** The door `parley/testing`: for tests of channels and agents, with vitest, `node:test` or any other runner. */

import { startSandbox as start } from '../sandbox/index.ts';
import { embeddedSettings } from './cli/embedded.ts';
import { projectFolder, projectVersion } from './cli/project.ts';
import type { WrittenSettings } from './config/schema.ts';
import { memoryKeyed } from './conform/host.ts';
import type { Report, RunOptions } from './conform/report.ts';
import { conform as run } from './conform/run.ts';
import { linesOf } from './conform/words.ts';
import * as kit from './kit/argument.ts';
import type { Channel } from './kit/channel.ts';
import type { Keyed } from './kit/ladder.ts';
import type { OpenRig } from './kit/package.ts';

export { createVirtualClock, type VirtualClock } from './conform/virtual-clock.ts';
export type { OpenRig } from './kit/package.ts';
export type * from './kit/rig.ts';
export type { Report, RunOptions };

/**
 * Checks a channel against the rules that all channels keep, with a chat that the rig starts.
 * @throws Error with every failed check if the channel breaks a rule, or the error of a rig or channel that cannot start
 */
export async function conform(
  channel: Channel,
  rig: OpenRig,
  { seed = 1, runs = 20, ...others }: Partial<RunOptions> = {},
): Promise<Report> {
  const project = { folder: projectFolder(), version: projectVersion() };
  const report = await run({ channel, openRig: rig, kit, project }, { seed, runs, ...others });
  if (report.ok) return report;
  const failed = report.checks.filter(({ status }) => status === 'fail');
  const lines = failed.flatMap((check) => linesOf(check, `conform(…, { only: ['${check.id}'] })`));
  throw new Error([`${report.title} does not conform:`, ...lines].join('\n'));
}

/** State of a channel in memory, in place of `host.state`. Values do not expire. */
export const createMemoryStore = (): Keyed => memoryKeyed(new Map());

/** A running sandbox, the local agent platform. */
export interface Sandbox {
  readonly url: string;
  /** Options for `createParley`: the platform, and the sandbox's agents. */
  readonly settings: Pick<WrittenSettings, 'platform' | 'agents' | 'identity'>;
  stop(): Promise<void>;
}

/** Starts a sandbox on a free port, with all data in memory. Resolves once it can answer from its documents. */
export async function startSandbox(): Promise<Sandbox> {
  const { url, indexed, close } = await start({ port: 0, memory: true, options: { paceMs: 0 } });
  await indexed;
  return { url, settings: { platform: { baseUrl: url }, ...embeddedSettings() }, stop: close };
}
