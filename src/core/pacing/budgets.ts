/** Remaining rate limits of a channel, and the order in which replies use them. */

import { keepBound } from '../bound.ts';
import type { SideCall, SidePermit } from '../channel/host.ts';
import type { FamilyLimit } from '../channel/limits.ts';
import type { Clock } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import {
  type Beginning,
  type Permit,
  type PermitRequest,
  type Refusal,
  sidePermit,
  sideRequest,
} from './permit.ts';
import { TenantBudgets } from './tenant.ts';

/** Tenants whose use is remembered; the one unused for longest is forgotten. */
const TENANTS = 10_000;
/** Calls beside replies that wait at once, of all tenants; further ones are given no permit. */
const BESIDE_WAITING = 1_000;

export interface Budgets {
  /** A reply begins: what its end needs at the least is held for it from now on, whatever else is asked for. */
  begin(reply: Beginning): void;
  /** Resolves when one of the moves may be made; rejects with the signal's reason. */
  permit(request: PermitRequest, signal: AbortSignal): Promise<Permit>;
  /**
   * A permit for a call that is no move of a reply, out of what no reply holds; nothing where it does not come within
   * `waitMs`. Rejects with the signal's reason.
   */
  permitBeside(call: SideCall, waitMs: number, signal: AbortSignal): Promise<SidePermit | undefined>;
  /** For a call that cannot wait: it is counted, whatever is allowed. */
  permitAtOnce(call: SideCall): SidePermit;
  close(refusal: Refusal): void;
  /** The reply is over: what it held reserved is for others. */
  free(reply: TurnId): void;
}

/** Limits that a tenant's refusals taught, in calls a minute by family, kept across restarts. */
export interface LearnedLimits {
  load(tenant: string): Promise<Readonly<Record<string, number>>>;
  save(tenant: string, limits: Readonly<Record<string, number>>): void;
}

interface BudgetDeps {
  /** By move family; a family without a limit is free. */
  readonly limits: Readonly<Record<string, FamilyLimit>>;
  readonly clock: Clock;
  readonly learned?: LearnedLimits;
}

/** The budgets of one channel, for one process. */
export function createBudgets(deps: BudgetDeps): Budgets {
  const tenants = new Map<string, TenantBudgets>();
  const homes = new Map<TurnId, TenantBudgets>();

  const open = (name: string): TenantBudgets => {
    const budgets = new TenantBudgets(deps.limits, deps.clock);
    const { learned } = deps;
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
    keepBound(tenants, name, found, TENANTS);
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
    permit: async (request, signal) => enter(request.reply, request.tenant).permit(request, signal),
    async permitBeside(call, waitMs, signal) {
      if (waiting >= BESIDE_WAITING) return undefined;
      waiting += 1;
      const request = sideRequest(call, deps.clock.now());
      const permit = await find(call.tenant)
        .permitWithin(waitMs, request, signal)
        .finally(() => {
          waiting -= 1;
        });
      return permit && sidePermit(permit, call, close);
    },
    permitAtOnce(call) {
      const request = sideRequest(call, deps.clock.now());
      return sidePermit(find(call.tenant).takeAnyway(request), call, close);
    },
    close,
    free(reply) {
      homes.get(reply)?.free(reply);
      homes.delete(reply);
    },
  };
}
