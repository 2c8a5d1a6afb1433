/** Keeps questions while the agent platform is down. */

import type { Config } from '../config/schema.ts';
import { Breaker } from '../core/agents/breaker.ts';
import type { Directory } from '../core/agents/routing.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { createOutages, type Outages } from '../core/turns/outages.ts';
import type { Platform } from '../platform/index.ts';
import type { Store } from '../store/index.ts';
import type { Observers } from './observers.ts';

const MINUTE_MS = 60_000;

/** Returns undefined if questions are not kept during an outage. */
export function makeBreaker(
  { platform: { outage } }: Pick<Config, 'platform'>,
  platform: Pick<Platform, 'answers'>,
  clock: Clock,
): Breaker | undefined {
  const { keepMinutes, failures, resumeAtOnce: atOnce } = outage;
  return keepMinutes === 0
    ? undefined
    : new Breaker({ clock, failures, atOnce, probe: () => platform.answers() });
}

interface WatchDeps {
  readonly config: Config;
  readonly breaker: Breaker | undefined;
  readonly directory: Directory;
  readonly store: Store;
  readonly observers: Observers;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the watch over outages. Without a breaker, it lets all questions expire that an earlier process has kept. */
export function makeOutages({
  config,
  breaker,
  directory,
  store,
  observers,
  clock,
  log,
}: WatchDeps): Outages {
  const { baseUrl: address, outage } = config.platform;
  const agents = [...directory.agents.keys()];
  return createOutages({
    ...{ inbox: store.inbox, clock, log, turnEvents: observers.turnEvents },
    platforms: breaker === undefined ? [] : [{ address, breaker, agents }],
    keepMs: outage.keepMinutes * MINUTE_MS,
    changed: observers.metrics.platformChanged,
  });
}
