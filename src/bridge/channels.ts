/** The running adapters, each with its budgets. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type Budgets, type CallHistory, createBudgets, type LearnedLimits } from '../core/pacing/budgets.ts';
import { type ChannelWatch, createChannelWatch, type ProbedFor } from '../core/pacing/channel-watch.ts';
import type { RecentCalls } from '../core/pacing/tenant.ts';
import type { KeyValues } from '../core/stores/keyed.ts';
import { BridgeError } from '../errors.ts';
import type { ChannelAdapter } from '../kit.ts';

/** Lifetime of a tenant's learned limits, in milliseconds. */
const LEARNED_KEPT_MS = 7 * 24 * 60 * 60_000;
/** Lifetime of the record of a tenant's calls, in milliseconds: channels count calls per minute. */
const CALLS_KEPT_MS = 60_000;

interface ChannelDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Store of the limits learned from refusals, kept across restarts. */
  readonly learned: KeyValues;
  /** Store of each tenant's calls of the last minute, for the next process that writes to it. */
  readonly calls: KeyValues;
}

export interface Channels {
  readonly all: readonly ChannelAdapter[];
  adapter(name: string): ChannelAdapter;
  budgets(name: string): Budgets;
  readonly answering: ChannelWatch['answering'];
}

export function makeChannels(adapters: readonly ChannelAdapter[], deps: ChannelDeps): Channels {
  const byName = new Map(
    adapters.map((adapter) => [
      adapter.name,
      {
        adapter,
        budgets: createBudgets({
          limits: adapter.limits,
          clock: deps.clock,
          learned: learnedLimits(adapter.name, deps.learned),
          history: callHistory(adapter.name, deps.calls),
        }),
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

/** Returns undefined for a channel that cannot be probed. */
function watchOf({ name, abilities }: ChannelAdapter, { clock, log }: ChannelDeps): ChannelWatch | undefined {
  const { answers } = abilities;
  // A probe that throws shows nothing about the channel, so the reply makes its next call.
  const probe = (message: ProbedFor) => answers?.(message).catch(() => true) ?? Promise.resolve(true);
  return answers && createChannelWatch({ channel: name, clock, log, probe });
}

/**
 * Returns access to the learned limits. A limit that cannot be stored is learned again at the cost of one
 * refusal.
 */
function learnedLimits(channel: string, kept: KeyValues): LearnedLimits {
  const key = keysOf(channel);
  return {
    load: async (tenant) => limitsOf(await kept.get(key(tenant))),
    save: (tenant, limits) => void kept.set(key(tenant), limits, LEARNED_KEPT_MS).catch(() => undefined),
  };
}

function callHistory(channel: string, kept: KeyValues): CallHistory {
  const key = keysOf(channel);
  return {
    load: async (tenant) => callsOf(await kept.get(key(tenant))),
    save: (tenant, calls) => void kept.set(key(tenant), calls, CALLS_KEPT_MS).catch(() => undefined),
  };
}

const keysOf =
  (channel: string) =>
  (tenant: string): string =>
    JSON.stringify([channel, tenant]);

const limitsOf = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    entriesOf(value).flatMap(([family, limit]) => (typeof limit === 'number' ? [[family, limit]] : [])),
  );

const callsOf = (value: unknown): RecentCalls =>
  Object.fromEntries(
    entriesOf(value).map(([family, times]) => [
      family,
      Array.isArray(times) ? times.filter(Number.isFinite) : [],
    ]),
  );

const entriesOf = (value: unknown): [string, unknown][] =>
  Object.entries(typeof value === 'object' && value !== null ? value : {});
