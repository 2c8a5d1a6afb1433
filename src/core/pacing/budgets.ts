/**
 * The remaining rate limits of a channel, and the order in which replies use them. Each tenant (`tenant.ts`) has
 * limits per minute by family of API methods (`family.ts`), limits by room, thread and tenant (`gates.ts`,
 * `windows.ts`), and a queue of waiting requests (`queue.ts`).
 */

import { keepBound } from '../bound.ts';
import type { SideCall } from '../channel/host.ts';
import type { FamilyLimit } from '../channel/limits.ts';
import type { Clock } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import { type Beginning, type PermitRequest, type Refusal, sidePermit, sideRequest } from './permit.ts';
import { type RecentCalls, TenantBudgets } from './tenant.ts';

/** Maximum number of tenants in memory; the least recently used one is dropped. */
const TENANTS = 10_000;
/** Maximum number of side calls of all tenants that wait at the same time. Further calls get no permit. */
const MAX_WAITING_SIDE_CALLS = 1_000;

export type Budgets = ReturnType<typeof createBudgets>;

/** Limits learned from the channel's refusals, per tenant: calls per minute by family. Kept across restarts. */
export interface LearnedLimits {
  load(tenant: string): Promise<Readonly<Record<string, number>>>;
  /** Called for each refusal. @param family family of the refused call */
  save(tenant: string, limits: Readonly<Record<string, number>>, family: string): void;
}

/**
 * The calls that all processes made for a tenant in the last minute. Stored because the channel counts all these calls
 * together, including the calls of a replica that does not own the tenant, of an earlier owner, and of a process that
 * crashed.
 */
export interface CallHistory {
  /** Resolves with the calls of the other processes. */
  load(tenant: string): Promise<RecentCalls>;
  /** Saves the calls of this process. Resolves with the calls of the other processes. */
  save(tenant: string, calls: RecentCalls): Promise<RecentCalls>;
}

/** Maximum milliseconds until a call is saved. All calls within this time share one write. */
const SAVE_CALLS_MS = 1_000;

/**
 * Creates the budgets of one channel for this process.
 * @param limits limits by family; a family that is absent is unlimited
 */
export function createBudgets(
  limits: Readonly<Record<string, FamilyLimit>>,
  clock: Clock,
  learned?: LearnedLimits,
  history?: CallHistory,
) {
  const tenants = new Map<string, TenantBudgets>();
  const homes = new Map<TurnId, TenantBudgets>();

  const open = (name: string): TenantBudgets => {
    const budgets = new TenantBudgets(limits, clock);
    const isKnown = () => tenants.get(name) === budgets;
    if (history !== undefined) shareCalls(name, budgets, { history, clock, isKnown });
    if (learned === undefined) return budgets;
    budgets.onLearned = (lower, family) => learned.save(name, lower, family);
    // The documented limits apply until the learned ones are loaded. If loading fails, the channel refuses at most
    // one more call.
    void learned.load(name).then(
      (lower) => budgets.recall(lower),
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
    /** Reserves the calls that a new reply needs for its end, before other replies can use them. */
    begin: ({ reply, tenant, needs }: Beginning) => enter(reply, tenant).begin(reply, needs),
    /** Resolves with a permit for one of the moves; rejects with the signal's reason. */
    permit: async (request: PermitRequest, signal: AbortSignal) =>
      enter(request.reply, request.tenant).permit(request, signal),
    /**
     * Resolves with a permit for a side call, using only capacity that replies have not reserved; undefined if no such
     * capacity is free within `waitMs` milliseconds. Rejects with the signal's reason.
     */
    async permitSideCall(call: SideCall, waitMs: number, signal: AbortSignal) {
      if (waiting >= MAX_WAITING_SIDE_CALLS) return undefined;
      waiting += 1;
      const request = sideRequest(call, clock.now());
      const permit = await find(call.tenant)
        .permitWithin(waitMs, request, signal)
        .finally(() => {
          waiting -= 1;
        });
      return permit && sidePermit(permit, call, close);
    },
    /**
     * Returns a permit for a call that cannot wait. The call counts towards the limits but is never delayed by them.
     */
    permitAtOnce(call: SideCall) {
      const request = sideRequest(call, clock.now());
      return sidePermit(find(call.tenant).takeAnyway(request), call, close);
    },
    close,
    /** Drops the tenant. Its calls are no longer saved. */
    forget: (tenant: string) => void tenants.delete(tenant),
    /** Releases the calls reserved for an ended reply. */
    free(reply: TurnId) {
      homes.get(reply)?.free(reply);
      homes.delete(reply);
    },
  };
}

/**
 * Counts the calls that other processes made for the tenant in the last minute, and saves the calls of this process
 * for those processes.
 */
function shareCalls(
  tenant: string,
  budgets: TenantBudgets,
  { history, clock, isKnown }: { history: CallHistory; clock: Clock; isKnown(): boolean },
): void {
  let saving = false;
  // Ignores a failure of the store. The worst consequence is that the channel refuses calls above its limit.
  const count = (others: Promise<RecentCalls>) =>
    others.then(
      (calls) => budgets.setOthers(calls),
      () => undefined,
    );
  budgets.onAnswered = () => {
    if (saving) return;
    saving = true;
    void clock.wait(SAVE_CALLS_MS).then(() => {
      saving = false;
      if (isKnown()) void count(history.save(tenant, budgets.recentCalls()));
    });
  };
  void count(history.load(tenant));
}
