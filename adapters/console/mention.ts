/** Finds who a message names with `@`. Pure. */

export interface Mention {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const letter = /[\p{L}\p{N}_]/u;

/** The first `@name` of one of the names, whatever its case; the longest name wins where several fit. */
export function findMention(text: string, names: readonly string[]): Mention | undefined {
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (isInsideWord(text, at)) continue;
    const name = longestFirst.find((one) => standsAt(text, at + 1, one));
    if (name !== undefined) return { name, from: at, to: at + 1 + name.length };
  }
  return undefined;
}

/** The text without the mention, nor the comma or colon after it. */
export function withoutMention(text: string, { from, to }: Mention): string {
  const before = text.slice(0, from);
  const after = text.slice(to).replace(/^[,:]?[ \t]*/, '');
  return `${/^[.;!?]/.test(after) ? before.trimEnd() : before}${after}`.trim();
}

/** `team@example.org` and a path are no mentions. */
function isInsideWord(text: string, at: number): boolean {
  return at > 0 && /[\p{L}\p{N}_.@/]/u.test(text.slice(at - 1, at));
}

function standsAt(text: string, at: number, name: string): boolean {
  if (text.slice(at, at + name.length).toLowerCase() !== name.toLowerCase()) return false;
  return !goesOn(text.slice(at + name.length, at + name.length + 2));
}

/** Whether a longer name stands there: `@knowledge-base`, `@parley.example`; other scripts end a Latin name. */
function goesOn(rest: string): boolean {
  const [first = '', second = ''] = rest;
  if (/[a-z0-9_]/i.test(first)) return true;
  return (first === '-' || first === '.') && letter.test(second);
}
