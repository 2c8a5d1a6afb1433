/** What a channel still allows us to send, and who may send next. */

import type { SideCall, SideLeave } from '../channel/host.ts';
import type { FamilyLimit } from '../channel/limits.ts';
import type { Clock } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import { keepBound } from './bound.ts';
import { TenantBudgets } from './tenant.ts';
import { type Beginning, besideReplies, type Leave, type Refusal, sideLeave, type Wish } from './wish.ts';

/** Tenants whose use is remembered; the one unused for longest is forgotten. */
const TENANTS = 10_000;
/** Calls beside replies that wait at once, of all tenants; further ones are given no leave. */
const BESIDE_WAITING = 1_000;

export interface Budgets {
  /** A reply begins: what its end needs at the least is held for it from now on, whatever else is asked for. */
  begin(reply: Beginning): void;
  /** Resolves when one of the moves may be made; rejects with the signal's reason. */
  leave(wish: Wish, signal: AbortSignal): Promise<Leave>;
  /**
   * Leave for a call that is no move of a reply, out of what no reply holds; nothing where it does not come within
   * `waitMs`. Rejects with the signal's reason.
   */
  leaveBeside(call: SideCall, waitMs: number, signal: AbortSignal): Promise<SideLeave | undefined>;
  /** For a call that cannot wait: it is counted, whatever is allowed. */
  leaveAtOnce(call: SideCall): SideLeave;
  close(refusal: Refusal): void;
  /** The reply is over: what it held reserved is for others. */
  free(reply: TurnId): void;
}

/** Limits that a tenant's refusals taught, in calls a minute by family, kept across restarts. */
export interface LearnedLimits {
  load(tenant: string): Promise<Readonly<Record<string, number>>>;
  save(tenant: string, limits: Readonly<Record<string, number>>): void;
}

export interface BudgetParts {
  /** By move family; a family without a limit is free. */
  readonly limits: Readonly<Record<string, FamilyLimit>>;
  readonly clock: Clock;
  readonly learned?: LearnedLimits;
}

/** The budgets of one channel, for one process. */
export function createBudgets(parts: BudgetParts): Budgets {
  const tenants = new Map<string, TenantBudgets>();
  const homes = new Map<TurnId, TenantBudgets>();

  const open = (name: string): TenantBudgets => {
    const budgets = new TenantBudgets(parts.limits, parts.clock);
    const { learned } = parts;
    if (learned === undefined) return budgets;
    budgets.onLearned = (limits) => learned.save(name, limits);
    // Until they are known the documented limits hold; a store that cannot tell costs at most one more refusal.
    void learned.load(name).then(
      (limits) => budgets.recall(limits),
      () => undefined,
    );
    return budgets;
  };
  const find = (name: string): TenantBudgets => {
    const found = tenants.get(name) ?? open(name);
    keepBound(tenants, { key: name, value: found, bound: TENANTS });
    return found;
  };

  const enter = (reply: TurnId, tenant: string): TenantBudgets => {
    const home = homes.get(reply) ?? find(tenant);
    homes.set(reply, home);
    return home;
  };

  let waiting = 0;
  const close = (refusal: Refusal) => find(refusal.tenant).close(refusal);
  return {
    begin: ({ reply, tenant, needs }) => enter(reply, tenant).begin(reply, needs),
    leave: async (wish, signal) => enter(wish.reply, wish.tenant).leave(wish, signal),
    async leaveBeside(call, waitMs, signal) {
      if (waiting >= BESIDE_WAITING) return undefined;
      waiting += 1;
      const wish = besideReplies(call, parts.clock.now());
      const leave = await find(call.tenant)
        .leaveWithin(waitMs, wish, signal)
        .finally(() => {
          waiting -= 1;
        });
      return leave && sideLeave(leave, call, close);
    },
    leaveAtOnce(call) {
      const wish = besideReplies(call, parts.clock.now());
      return sideLeave(find(call.tenant).takeAnyway(wish), call, close);
    },
    close,
    free(reply) {
      homes.get(reply)?.free(reply);
      homes.delete(reply);
    },
  };
}
