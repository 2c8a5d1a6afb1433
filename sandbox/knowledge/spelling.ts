import type { Documents } from '../store/documents.ts';

/** Words shorter than this are left as they are: too many others are near. */
const LENGTH_NEEDED = 5;
const TWO_MISTAKES_FROM = 8;

/**
 * The nearest word of the documents for a word that none of them has: one mistake, or two in a long word, and the same
 * first letter. Undefined when there is none.
 */
export function nearestWord(term: string, documents: Documents): string | undefined {
  if (term.length < LENGTH_NEEDED || !/^[a-z]+$/.test(term)) return undefined;
  const allowed = term.length >= TWO_MISTAKES_FROM ? 2 : 1;
  let best: string | undefined;
  let fewest = allowed + 1;
  for (const word of documents.wordsFrom(term.charAt(0))) {
    if (Math.abs(word.length - term.length) > allowed) continue;
    const mistakes = distance(term, word);
    if (mistakes < fewest) {
      best = word;
      fewest = mistakes;
    }
  }
  return best;
}

/** Letters inserted, left out, changed, or swapped with their neighbour. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(change, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swap));
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
