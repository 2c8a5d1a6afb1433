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
  readonly perMinute: number;
  /** Returns true and counts the question if the person may ask. Repeated events of one question count once. */
  allow(asker: Asker, question: string): boolean | Promise<boolean>;
}

interface RecentQuestion {
  readonly at: number;
  readonly question: string;
}

/** Counts the questions in memory. */
export function createQuestionRate(perMinute: number, clock: Clock) {
  const questions = new Map<string, readonly RecentQuestion[]>();
  return {
    perMinute,
    allow(asker: Asker, question: string): boolean {
      const key = keyOf(asker);
      const { allowed, recent } = decide(questions.get(key) ?? [], { question, perMinute, now: clock.now() });
      keepBound(questions, key, recent, MAX_PEOPLE);
      return allowed;
    },
  } satisfies QuestionRate;
}

/** A person's questions are counted in the store only if there are at least this many in a minute. */
const SHARED_FROM = 2;
/**
 * Maximum number of people whose questions are being counted in the store, so that a burst leaves connections for
 * storing the questions. Questions of further people are counted in memory only.
 */
const MAX_SHARING = 4;

/**
 * Counts the questions for all processes that share a store. A person's first question in a minute is written to the
 * store only together with the second, so each process after the first may allow one question too many. While the
 * store fails, each process counts alone.
 */
export function createSharedRate(perMinute: number, stored: Keyed, clock: Clock): QuestionRate {
  const local = new Map<string, readonly RecentQuestion[]>();
  const sharing = new Map<string, number>();
  /**
   * Counts the question, and the earlier ones that are not in the store yet. Resolves to false if there are too many.
   */
  const share = async (asker: Asker, own: readonly RecentQuestion[], question: string): Promise<boolean> => {
    const key = keyOf(asker);
    let decided = { allowed: true, recent: own };
    const count = (value: unknown) => {
      const before = own.filter((each) => each.question !== question);
      const known = union(Array.isArray(value) ? value.filter(isAsked) : [], before);
      decided = decide(known, { question, perMinute, now: clock.now() });
      return decided.recent;
    };
    const { channel, tenant } = asker.thread;
    await stored.change(key, count, MINUTE_MS, { channel, tenant, person: asker.person.id });
    const now = (local.get(key) ?? []).filter((each) => decided.allowed || each.question !== question);
    keepBound(local, key, union(decided.recent, now), MAX_PEOPLE);
    return decided.allowed;
  };
  return {
    perMinute,
    async allow(asker, question) {
      const key = keyOf(asker);
      const { allowed, counts, recent } = decide(local.get(key) ?? [], {
        question,
        perMinute,
        now: clock.now(),
      });
      keepBound(local, key, recent, MAX_PEOPLE);
      const isBusy = sharing.size >= MAX_SHARING && !sharing.has(key);
      if (!counts || recent.length < SHARED_FROM || isBusy) return allowed;
      sharing.set(key, (sharing.get(key) ?? 0) + 1);
      try {
        return await share(asker, recent, question);
      } catch {
        return true;
      } finally {
        const left = (sharing.get(key) ?? 1) - 1;
        if (left > 0) sharing.set(key, left);
        else sharing.delete(key);
      }
    },
  };
}

function union(one: readonly RecentQuestion[], other: readonly RecentQuestion[]): readonly RecentQuestion[] {
  const known = new Set(one.map(({ question }) => question));
  return [...one, ...other.filter(({ question }) => !known.has(question))];
}

const keyOf = ({ thread, person }: Asker): string =>
  JSON.stringify([thread.channel, thread.tenant, person.id]);

interface Asking {
  readonly question: string;
  readonly perMinute: number;
  readonly now: number;
}

/** Decides about a question. `recent` are the questions of the last minute, including this one if it counts. */
function decide(questions: readonly RecentQuestion[], { question, perMinute, now }: Asking) {
  // Ignores timestamps far in the future, which exist only if the clock was set back (fault F33).
  const recent = questions.filter(({ at }) => Math.abs(now - at) < MINUTE_MS);
  const known = recent.some((each) => each.question === question);
  const counts = !known && recent.length < perMinute;
  return { allowed: known || counts, counts, recent: counts ? [...recent, { at: now, question }] : recent };
}

const isAsked = (value: unknown): value is RecentQuestion =>
  typeof value === 'object' &&
  value !== null &&
  'at' in value &&
  typeof value.at === 'number' &&
  'question' in value &&
  typeof value.question === 'string';
