/** Limits the number of a person's questions in the last 60 seconds. */

import { keepBound } from '../bound.ts';
import type { Clock } from '../clock.ts';
import type { Person, ThreadRef } from '../message.ts';
import type { Keyed } from '../stores/keyed.ts';

const MINUTE_MS = 60_000;
/** Maximum number of people in memory; the person whose last question is oldest is dropped first. */
const MAX_PEOPLE = 10_000;

interface Asker {
  readonly thread: ThreadRef;
  readonly person: Person;
}

export interface QuestionRate {
  /** Returns true and counts the question if the person may ask. Repeated events of one question count once. */
  allow(asker: Asker, question: string): boolean | Promise<boolean>;
}

interface Asked {
  readonly at: number;
  readonly question: string;
}

/** Counts the questions in memory. */
export function createQuestionRate(perMinute: number, clock: Clock) {
  const asked = new Map<string, readonly Asked[]>();
  return {
    allow(asker: Asker, question: string): boolean {
      const key = keyOf(asker);
      const { allowed, recent } = decide(asked.get(key) ?? [], { question, perMinute, now: clock.now() });
      keepBound(asked, key, recent, MAX_PEOPLE);
      return allowed;
    },
  } satisfies QuestionRate;
}

interface SharedRateDeps {
  readonly stored: Keyed;
  readonly clock: Clock;
}

/**
 * Counts the questions in the store, so that the limit applies to all processes that share it together. `allow` rejects
 * with `store-unavailable` if the store cannot count.
 */
export function createSharedRate(perMinute: number, { stored, clock }: SharedRateDeps): QuestionRate {
  return {
    async allow(asker, question) {
      let allowed = false;
      const count = (value: unknown) => {
        const before = Array.isArray(value) ? value.filter(isAsked) : [];
        const decided = decide(before, { question, perMinute, now: clock.now() });
        allowed = decided.allowed;
        return decided.counts ? decided.recent : undefined;
      };
      await stored.change(keyOf(asker), count, MINUTE_MS);
      return allowed;
    },
  };
}

const keyOf = ({ thread, person }: Asker): string =>
  JSON.stringify([thread.channel, thread.tenant, person.id]);

interface Asking {
  readonly question: string;
  readonly perMinute: number;
  readonly now: number;
}

/** Decides about a question. `recent` are the questions of the last minute, with this one if it counts. */
function decide(asked: readonly Asked[], { question, perMinute, now }: Asking) {
  // Ignores timestamps far in the future, which exist only if the clock was set back (fault F33).
  const recent = asked.filter(({ at }) => Math.abs(now - at) < MINUTE_MS);
  const known = recent.some((each) => each.question === question);
  const counts = !known && recent.length < perMinute;
  return { allowed: known || counts, counts, recent: counts ? [...recent, { at: now, question }] : recent };
}

const isAsked = (value: unknown): value is Asked =>
  typeof value === 'object' &&
  value !== null &&
  'at' in value &&
  typeof value.at === 'number' &&
  'question' in value &&
  typeof value.question === 'string';
