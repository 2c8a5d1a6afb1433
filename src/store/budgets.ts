import type { FamilyLimit } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { TurnId } from '../core/ids.ts';
import type { Budgets, Leave } from '../core/stores.ts';

/** A slot of a family is free again this long after its use, in milliseconds. */
const WINDOW_MS = 60_000;
/** Replies whose gaps are remembered; the oldest is forgotten, which costs it one gap. */
const REPLIES = 10_000;
/** Pairs of tenant and family whose uses are remembered; the one unused for longest is forgotten. */
const FAMILIES = 10_000;

export interface BudgetParts {
  /** By move family; a family without a limit is free. */
  readonly limits: Readonly<Record<string, FamilyLimit>>;
  readonly clock: Clock;
}

interface FamilyUse {
  /** When the calls of the last minute were made, oldest first. */
  readonly uses: readonly number[];
  /** Closed by the channel from `at` for `ms`. */
  readonly closed?: { readonly at: number; readonly ms: number };
}

/** The budgets of one channel, in memory. */
export function createBudgets({ limits, clock }: BudgetParts): Budgets {
  /** Last call by family. */
  const replies = new Map<TurnId, ReadonlyMap<string, number>>();
  const families = new Map<string, FamilyUse>();

  return {
    take: ({ reply, tenant, family, essential }) => {
      const now = clock.now();
      const limit = limits[family];
      const place = JSON.stringify([tenant, family]);
      const used = families.get(place);
      // The gap spaces progress; what a reply's end depends on must not wait for it.
      const last = essential ? undefined : replies.get(reply)?.get(family);
      const waitMs = Math.max(
        remaining(used?.closed?.at, used?.closed?.ms ?? 0, now),
        remaining(last, limit?.gapMs ?? 0, now),
        remaining(slotBefore(used?.uses, limit?.perMinute), WINDOW_MS, now),
      );
      if (waitMs > 0) return { ok: false, waitMs } satisfies Leave;
      remember(replies, reply, new Map(replies.get(reply)).set(family, now), REPLIES);
      if (limit?.perMinute !== undefined) {
        remember(families, place, { uses: [...recent(used?.uses ?? [], now), now] }, FAMILIES);
      }
      return { ok: true };
    },
    close: ({ tenant, family, ms }) => {
      const place = JSON.stringify([tenant, family]);
      const uses = families.get(place)?.uses ?? [];
      remember(families, place, { uses, closed: { at: clock.now(), ms } }, FAMILIES);
    },
    free: (reply) => void replies.delete(reply),
  };
}

/** How much of `span` is left since `start`; never more than the span, also when the clock was set back. */
function remaining(start: number | undefined, span: number, now: number): number {
  if (start === undefined) return 0;
  return Math.min(span, Math.max(0, start + span - now));
}

/** The use whose slot must be free before the next call; `undefined` when one is free. */
function slotBefore(uses: readonly number[] | undefined, perMinute: number | undefined): number | undefined {
  return uses === undefined || perMinute === undefined ? undefined : uses[uses.length - perMinute];
}

const recent = (uses: readonly number[], now: number): readonly number[] =>
  uses.filter((use) => now - use < WINDOW_MS);

/** Sets an entry as the newest and forgets the oldest beyond the bound. */
function remember<K, V>(map: Map<K, V>, key: K, value: V, bound: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= bound) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
