/** Opens the agent platforms. Each has its own client, credentials, documents and outages. */

import type { PlatformSettings } from '../config/platform-setting.ts';
import type { Config } from '../config/schema.ts';
import { Breaker } from '../core/agents/breaker.ts';
import type { Clock } from '../core/clock.ts';
import { createOutages, type Outages } from '../core/turns/outages.ts';
import { createPlatform, type Platform, type PlatformPorts } from '../platform/index.ts';
import type { Store } from '../store/index.ts';
import type { AgentPlatform } from './agents.ts';
import type { AskerTokenStore } from './asker-tokens.ts';
import type { HostDeps } from './host.ts';
import { openLibrary } from './library.ts';
import type { ModelServers } from './model-servers.ts';

const MINUTE_MS = 60_000;

interface OpenPlatform extends AgentPlatform {
  readonly settings: PlatformSettings;
  readonly health: Breaker | undefined;
}

interface PlatformsDeps extends PlatformPorts {
  readonly store: Pick<Store, 'keyed'>;
  readonly askers: AskerTokenStore;
}

/** @param opened stack that closes the clients when it is disposed of */
export function openPlatforms(
  config: Config,
  { store, askers, ...ports }: PlatformsDeps,
  opened: AsyncDisposableStack,
): ReadonlyMap<string, OpenPlatform> {
  const entries = Object.entries(config.platforms).map(([name, settings]) => {
    const client = createPlatform(settings, ports);
    opened.defer(() => client.close());
    const health = makeBreaker(settings, client, ports.clock);
    const library = openLibrary(config, name, client, { store, askers });
    return [name, { settings, client, health, library }] as const;
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

interface WatchDeps extends Pick<HostDeps, 'directory' | 'store' | 'observers' | 'clock' | 'log'> {
  readonly platforms: ReadonlyMap<string, OpenPlatform>;
  readonly own: Pick<ModelServers, 'watched'>;
  readonly config: Config;
}

/** Creates the watch for outages of the platforms and of the servers of language models. */
export function makeOutages(deps: WatchDeps): Outages {
  const { platforms, own, directory, config, store, observers, clock, log } = deps;
  const watched = [...platforms].map(([name, { settings, health }]) => ({
    name,
    address: settings.baseUrl,
    ...(health !== undefined && { breaker: health }),
    agents: [...directory.agents.keys()].filter((agent) => config.agents[agent]?.platform === name),
    keepMs: settings.outage.keepMinutes * MINUTE_MS,
  }));
  return createOutages({
    inbox: store.inbox,
    clock,
    log,
    turnEvents: observers.turnEvents,
    platforms: [...watched, ...own.watched()],
    changed: observers.metrics.platformChanged,
  });
}
