/** Limits the number of a person's questions in the last 60 seconds. */

import { keepBound } from '../bound.ts';
import type { Clock } from '../clock.ts';
import type { Person, ThreadRef } from '../message.ts';

const MINUTE_MS = 60_000;
/** Maximum number of people in memory; the person whose last question is oldest is dropped first. */
const MAX_PEOPLE = 10_000;

export interface QuestionRate {
  /** Returns true and counts the question if the person may ask. Repeated events of one question count once. */
  allow(asker: { readonly thread: ThreadRef; readonly person: Person }, question: string): boolean;
}

interface Asked {
  readonly at: number;
  readonly question: string;
}

export function createQuestionRate(perMinute: number, clock: Clock): QuestionRate {
  const asked = new Map<string, readonly Asked[]>();
  return {
    allow({ thread, person }, question) {
      const key = JSON.stringify([thread.channel, thread.tenant, person.id]);
      const now = clock.now();
      // Ignores timestamps far in the future, which exist only if the clock was set back (fault F33).
      const recent = (asked.get(key) ?? []).filter(({ at }) => Math.abs(now - at) < MINUTE_MS);
      const known = recent.some((each) => each.question === question);
      const counts = !known && recent.length < perMinute;
      const value = counts ? [...recent, { at: now, question }] : recent;
      keepBound(asked, key, value, MAX_PEOPLE);
      return known || counts;
    },
  };
}
