/** The running adapters, each with its budgets. */

import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type Budgets, type CallHistory, createBudgets, type LearnedLimits } from '../core/pacing/budgets.ts';
import { type ChannelWatch, createChannelWatch, type ProbedFor } from '../core/pacing/channel-watch.ts';
import type { RecentCalls } from '../core/pacing/tenant.ts';
import type { Keyed, KeyValues } from '../core/stores/keyed.ts';
import { BridgeError } from '../errors.ts';
import type { ChannelAdapter } from '../kit.ts';

/** Lifetime of a tenant's learned limits, in milliseconds. */
const LEARNED_KEPT_MS = 7 * 24 * 60 * 60_000;
/** Lifetime of the record of a tenant's calls, in milliseconds. One minute, because channels count calls per minute. */
const CALLS_KEPT_MS = 60_000;

/** Maximum age of a refusal that is counted, in milliseconds, and maximum number for each family. */
const REFUSALS_KEPT_MS = 24 * 60 * 60_000;
const REFUSALS = 50;

/** Namespaces of the stored limits, calls and refusals of each workspace. */
export const LIMITS = 'limits';
export const CALLS = 'calls';
export const REFUSED_CALLS = 'refused calls';

interface ChannelDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Store of the limits learned from refusals, kept across restarts. */
  readonly learned: KeyValues;
  /** Store of each tenant's calls of the last minute, which all processes share. */
  readonly calls: Keyed;
  /** Store of the times at which channels refused calls because of a rate limit, for the operator. */
  readonly refused: Keyed;
  /** Counts such refusals for the metrics. */
  readonly rateLimited: (channel: string, tenant: string) => void;
}

interface OpeningDeps extends Pick<ChannelDeps, 'clock' | 'log'> {
  readonly metrics: Pick<ChannelDeps, 'rateLimited'>;
}

export interface Channels {
  readonly all: readonly ChannelAdapter[];
  adapter(name: string): ChannelAdapter;
  budgets(name: string): Budgets;
  readonly answering: ChannelWatch['answering'];
}

/** Returns the channels, with the limits, calls and refusals that the store keeps. */
export function openChannels(
  adapters: readonly ChannelAdapter[],
  keyed: (namespace: string) => Keyed,
  { clock, log, metrics }: OpeningDeps,
): Channels {
  const [learned, calls, refused] = [keyed(LIMITS), keyed(CALLS), keyed(REFUSED_CALLS)];
  const deps = { clock, log, rateLimited: metrics.rateLimited, learned, calls, refused };
  const process = randomUUID();
  const byName = new Map(
    adapters.map((adapter) => [
      adapter.name,
      {
        adapter,
        budgets: createBudgets(
          adapter.limits,
          deps.clock,
          learnedLimits(adapter.name, deps),
          callHistory(adapter.name, process, deps),
        ),
        watch: watchOf(adapter, deps),
      },
    ]),
  );
  const find = (name: string) => {
    const found = byName.get(name);
    if (found !== undefined) return found;
    throw new BridgeError(
      'config-invalid',
      `A stored turn belongs to the channel "${name}", which is switched off. Switch it on to finish the turn.`,
    );
  };
  return {
    all: adapters,
    adapter: (name) => find(name).adapter,
    budgets: (name) => find(name).budgets,
    answering: async (message, ...waiting) =>
      find(message.thread.channel).watch?.answering(message, ...waiting),
  };
}

/** Returns a watch that notices outages of the channel; undefined if the channel cannot be probed. */
function watchOf({ name, abilities }: ChannelAdapter, { clock, log }: ChannelDeps): ChannelWatch | undefined {
  const { answers } = abilities;
  // A failed probe does not show that the channel is down. The channel then counts as answering, and the reply makes
  // its next call.
  const probe = (message: ProbedFor) => answers?.(message).catch(() => true) ?? Promise.resolve(true);
  return answers && createChannelWatch({ channel: name, clock, log, probe });
}

/**
 * Returns access to the learned limits. Ignores failed writes, because a lost limit is learned again from the channel's
 * next refusal.
 */
function learnedLimits(channel: string, deps: ChannelDeps): LearnedLimits {
  const { learned: kept } = deps;
  const key = keysOf(channel);
  return {
    load: async (tenant) => limitsOf(await kept.get(key(tenant))),
    save(tenant, limits, family) {
      void kept.set(key(tenant), limits, LEARNED_KEPT_MS, { channel, tenant }).catch(() => undefined);
      noteRefusal(channel, tenant, family, deps);
    },
  };
}

/** Stores the time of a refusal. Ignores a failed write: the operator then sees one refusal less. */
function noteRefusal(
  channel: string,
  tenant: string,
  family: string,
  { refused, rateLimited, clock }: Pick<ChannelDeps, 'refused' | 'rateLimited' | 'clock'>,
): void {
  rateLimited(channel, tenant);
  const next = (current: unknown) => {
    const times = recentTimes(current, clock.now());
    return { ...times, [family]: [...(times[family] ?? []), clock.now()].slice(-REFUSALS) };
  };
  const key = keysOf(channel)(tenant);
  void refused.change(key, next, REFUSALS_KEPT_MS, { channel, tenant }).catch(() => undefined);
}

/** Returns the times of the refusals of the last 24 hours by family, oldest first. */
export const recentTimes = (value: unknown, now: number): RecentCalls =>
  callsOf(value, now - REFUSALS_KEPT_MS);

/** @param process id of this process, under which its calls are stored */
export function callHistory(
  channel: string,
  process: string,
  { calls: kept, clock }: Pick<ChannelDeps, 'calls' | 'clock'>,
): CallHistory {
  const key = keysOf(channel);
  const othersIn = (value: unknown) => {
    const since = clock.now() - CALLS_KEPT_MS;
    const others = entriesOf(value).filter(([id]) => id !== process);
    return others
      .map(([id, calls]) => [id, callsOf(calls, since)] as const)
      .filter(([, calls]) => Object.keys(calls).length > 0);
  };
  return {
    load: async (tenant) => together(othersIn(await kept.get(key(tenant)))),
    async save(tenant, calls) {
      let others: ReturnType<typeof othersIn> = [];
      const next = (current: unknown) => {
        others = othersIn(current);
        return { ...Object.fromEntries(others), [process]: calls };
      };
      await kept.change(key(tenant), next, CALLS_KEPT_MS, { channel, tenant });
      return together(others);
    },
  };
}

function together(processes: readonly (readonly [string, RecentCalls])[]): RecentCalls {
  const all = processes.flatMap(([, calls]) => Object.entries(calls));
  const byFamily = Map.groupBy(all, ([family]) => family);
  return Object.fromEntries([...byFamily].map(([family, each]) => [family, each.flatMap(([, at]) => at)]));
}

const keysOf =
  (channel: string) =>
  (tenant: string): string =>
    JSON.stringify([channel, tenant]);

export const limitsOf = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    entriesOf(value).flatMap(([family, limit]) => (typeof limit === 'number' ? [[family, limit]] : [])),
  );

/** @param since earliest time of the calls that are returned */
export const callsOf = (value: unknown, since: number): RecentCalls =>
  Object.fromEntries(
    entriesOf(value)
      .map(([family, times]): [string, number[]] => [
        family,
        Array.isArray(times) ? times.filter((at) => Number.isFinite(at) && at > since) : [],
      ])
      .filter(([, times]) => times.length > 0),
  );

export const entriesOf = (value: unknown): [string, unknown][] =>
  Object.entries(typeof value === 'object' && value !== null ? value : {});
