/** Counts questions against the quotas of the rules. */

import type { Clock } from '../clock.ts';
import type { ThreadRef } from '../message.ts';
import type { Keyed, Owner } from '../stores/keyed.ts';
import type { Quota } from './rules.ts';

const PERIOD_MS: Readonly<Record<Quota['every'], number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The properties of a question by which quotas count it. */
export interface CountedQuestion {
  readonly person: string;
  readonly thread: Pick<ThreadRef, 'channel' | 'tenant' | 'room'>;
  readonly agent: string;
}

/** A quota that a question would exceed, and the milliseconds until its period ends. */
export interface Exceeded {
  readonly quota: Quota;
  readonly waitMs: number;
}

export type QuotaCounts = ReturnType<typeof createQuotaCounts>;

/**
 * Counts in the store, so that quotas hold for all processes and after a restart. A period begins with its first
 * question. While the store fails, questions are not counted.
 */
export function createQuotaCounts(stored: Keyed, clock: Clock) {
  const count = async (quota: Quota, question: CountedQuestion): Promise<Exceeded | undefined> => {
    let exceeded: Exceeded | undefined;
    const ms = PERIOD_MS[quota.every];
    const next = (value: unknown) => {
      const now = clock.now();
      const { since, questions } = current(value, now, ms);
      exceeded = questions < quota.questions ? undefined : { quota, waitMs: since + ms - now };
      return exceeded === undefined ? { since, questions: questions + 1 } : undefined;
    };
    await stored.change(keyOf(quota, question), next, ms, ownerOf(quota, question)).catch(() => undefined);
    return exceeded;
  };
  const takeBack = (quota: Quota, question: CountedQuestion) => {
    const ms = PERIOD_MS[quota.every];
    const next = (value: unknown) => {
      const { since, questions } = current(value, clock.now(), ms);
      return { since, questions: Math.max(0, questions - 1) };
    };
    return stored.change(keyOf(quota, question), next, ms, ownerOf(quota, question)).catch(() => undefined);
  };
  return {
    /**
     * Counts the question. If the question would exceed a quota, counts it against no quota and resolves with the
     * exceeded one.
     */
    async take(limits: readonly Quota[], question: CountedQuestion) {
      for (const [at, quota] of limits.entries()) {
        const exceeded = await count(quota, question);
        if (exceeded === undefined) continue;
        for (const counted of limits.slice(0, at)) await takeBack(counted, question);
        return exceeded;
      }
      return undefined;
    },
  };
}

function keyOf({ per, id }: Quota, { person, thread, agent }: CountedQuestion): string {
  const { channel, tenant, room } = thread;
  const counted = { person: [channel, tenant, person], room: [channel, tenant, room], agent: [agent] };
  return JSON.stringify([id, ...counted[per]]);
}

function ownerOf({ per }: Quota, { person, thread: { channel, tenant, room } }: CountedQuestion): Owner {
  if (per === 'agent') return 'nobody';
  return { channel, tenant, ...(per === 'person' ? { person } : { room }) };
}

/**
 * Returns the running period, or a new period if there is none. Ignores a period that begins in the future, because it
 * exists only if the clock was set back.
 */
function current(value: unknown, now: number, ms: number): { since: number; questions: number } {
  if (isCount(value) && value.since <= now && now < value.since + ms) return value;
  return { since: now, questions: 0 };
}

const isCount = (value: unknown): value is { since: number; questions: number } =>
  typeof value === 'object' &&
  value !== null &&
  'since' in value &&
  typeof value.since === 'number' &&
  'questions' in value &&
  typeof value.questions === 'number';
