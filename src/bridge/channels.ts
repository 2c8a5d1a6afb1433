/** The adapters that serve, each with its budgets. */

import type { Clock } from '../core/clock.ts';
import type { Budgets } from '../core/stores.ts';
import { BridgeError } from '../errors.ts';
import type { ChannelAdapter } from '../kit.ts';
import { createBudgets } from '../store/budgets.ts';

export interface Channels {
  readonly all: readonly ChannelAdapter[];
  adapter(name: string): ChannelAdapter;
  budgets(name: string): Budgets;
}

export function makeChannels(adapters: readonly ChannelAdapter[], clock: Clock): Channels {
  const byName = new Map(
    adapters.map((adapter) => [
      adapter.name,
      { adapter, budgets: createBudgets({ limits: adapter.limits, clock }) },
    ]),
  );
  const find = (name: string) => {
    const found = byName.get(name);
    if (found !== undefined) return found;
    throw new BridgeError(
      'config-invalid',
      `A kept turn belongs to the channel "${name}", which is not switched on. Switch it on to finish the turn.`,
    );
  };
  return { all: adapters, adapter: (name) => find(name).adapter, budgets: (name) => find(name).budgets };
}
