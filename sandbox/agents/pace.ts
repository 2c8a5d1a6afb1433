import type { Clock } from '../clock.ts';

export interface Pace {
  readonly clock: Clock;
  /** Milliseconds between two groups. */
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** A long text goes out in at most this many groups, so that an answer of any length ends soon. */
const GROUPS_AT_MOST = 600;
const WORD =
  /\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{1,2}|\S)(?:[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])*/gu;

/** The text in groups of three words that join to the same text again. */
export function wordGroups(text: string): readonly string[] {
  const words = text.match(WORD) ?? [];
  const size = Math.max(3, Math.ceil(words.length / GROUPS_AT_MOST));
  const groups: string[] = [];
  let used = 0;
  for (let at = 0; at < words.length; at += size) {
    const group = words.slice(at, at + size).join('');
    groups.push(group);
    used += group.length;
  }
  const rest = text.slice(used);
  return rest === '' ? groups : [...groups, rest];
}

/** Yields the pieces with a pause after each; stops when the caller left. */
export async function* paced(groups: readonly string[], pace: Pace): AsyncIterable<string> {
  for (const group of groups) {
    if (pace.signal.aborted) return;
    yield group;
    await pace.clock.sleep(pace.everyMs, pace.signal);
  }
}
