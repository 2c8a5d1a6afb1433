/** Opens the agent platforms. Each has its own client, credentials, documents and outages. */

import { MAIN, type PlatformSettings } from '../config/platform-setting.ts';
import type { Config } from '../config/schema.ts';
import { Breaker } from '../core/agents/breaker.ts';
import type { Directory } from '../core/agents/routing.ts';
import type { Clock } from '../core/clock.ts';
import type { WatchedPlatform } from '../core/turns/outages.ts';
import { createPlatform, type Platform, type PlatformPorts } from '../platform/index.ts';
import type { AgentPlatform } from './agents.ts';
import { type LibraryDeps, openLibrary } from './library.ts';

const MINUTE_MS = 60_000;

interface OpenPlatform extends AgentPlatform {
  readonly settings: PlatformSettings;
  readonly health: Breaker | undefined;
}

/** @param opened stack that closes the clients when it is disposed of */
export function openPlatforms(
  config: Config,
  ports: PlatformPorts,
  library: LibraryDeps,
  opened: AsyncDisposableStack,
): ReadonlyMap<string, OpenPlatform> {
  const entries = Object.entries(config.platforms).map(([name, settings]) => {
    const client = createPlatform(settings, ports);
    opened.defer(() => client.close());
    const health = makeBreaker(settings, client, ports.clock);
    return [name, { settings, client, health, library: openLibrary(config, name, client, library) }] as const;
  });
  return new Map(entries);
}

/** Returns undefined if questions are not kept during an outage. */
function makeBreaker(
  { outage: { keepMinutes, failures, resumeAtOnce: atOnce } }: PlatformSettings,
  client: Pick<Platform, 'answers'>,
  clock: Clock,
): Breaker | undefined {
  return keepMinutes === 0
    ? undefined
    : new Breaker({ clock, failures, atOnce, probe: () => client.answers() });
}

/** Returns what the watch for outages needs to know about each platform. */
export const watchedPlatforms = (
  platforms: ReadonlyMap<string, OpenPlatform>,
  { agents }: Directory,
): readonly WatchedPlatform[] =>
  [...platforms].map(([name, { settings, health }]) => ({
    name,
    address: settings.baseUrl,
    ...(health !== undefined && { breaker: health }),
    agents: [...agents.values()]
      .filter(({ platform = MAIN }) => platform === name)
      .map((agent) => agent.name),
    keepMs: settings.outage.keepMinutes * MINUTE_MS,
  }));
