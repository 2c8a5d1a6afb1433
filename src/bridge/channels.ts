/** The running adapters, each with its budgets. */

import type { Clock } from '../core/clock.ts';
import { type Budgets, createBudgets, type LearnedLimits } from '../core/pacing/budgets.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { BridgeError } from '../errors.ts';
import type { ChannelAdapter } from '../kit.ts';

/** Lifetime of a tenant's learned limits, in milliseconds. */
const LEARNED_KEPT_MS = 7 * 24 * 60 * 60_000;

interface ChannelDeps {
  readonly clock: Clock;
  /** Store of the limits learned from refusals, kept across restarts. */
  readonly learned: Keyed;
}

export interface Channels {
  readonly all: readonly ChannelAdapter[];
  adapter(name: string): ChannelAdapter;
  budgets(name: string): Budgets;
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
        }),
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
  return { all: adapters, adapter: (name) => find(name).adapter, budgets: (name) => find(name).budgets };
}

/**
 * Returns access to the learned limits. A limit that cannot be stored is learned again at the cost of one
 * refusal.
 */
function learnedLimits(channel: string, kept: Keyed): LearnedLimits {
  const key = (tenant: string) => JSON.stringify([channel, tenant]);
  return {
    load: async (tenant) => limitsOf(await kept.get(key(tenant))),
    save: (tenant, limits) => void kept.set(key(tenant), limits, LEARNED_KEPT_MS).catch(() => undefined),
  };
}

function limitsOf(value: unknown): Readonly<Record<string, number>> {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return Object.fromEntries(entries.filter(([, limit]) => typeof limit === 'number'));
}
