/** Finds names that people cannot tell apart, such as a Cyrillic "а" in place of a Latin "a". Pure. */

import { skeleton } from '../names.ts';

/** Scripts whose letters look alike. A word mixes these scripts only by mistake or to deceive. */
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u];

/** Returns why people may misread the name, as the end of a sentence; undefined if they will not. */
export function disguise(name: string): string | undefined {
  if (/\p{Default_Ignorable_Code_Point}|\p{Cc}|[\u2028\u2029]/u.test(name))
    return 'contains characters that cannot be seen';
  const mixed = name.split(/\s+/).some((word) => SCRIPTS.filter((script) => script.test(word)).length > 1);
  return mixed ? 'mixes letters of several scripts in one word' : undefined;
}

/**
 * Maps each name that people may confuse with an earlier name to the first such earlier name. Omits all other names.
 */
export function lookAlikes(names: readonly string[]): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  const found = new Map<string, string>();
  for (const name of names) {
    const form = skeleton(name);
    const other = seen.get(form);
    if (other === undefined) seen.set(form, name);
    else if (other !== name) found.set(name, other);
  }
  return found;
}
