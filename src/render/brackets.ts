/** Where the brackets of a text close, and where further characters stand: each found in one look along the text. */

/** By where a bracket opens; one that is escaped neither opens nor closes. */
export function matchBrackets(source: string): ReadonlyMap<number, number> {
  const matches = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at++;
    else if (char === '[') open.push(at);
    else if (char === ']') {
      const opener = open.pop();
      if (opener !== undefined) matches.set(opener, at);
    }
  }
  return matches;
}

/** Finds the next place of a pattern from places that only grow; the text's length where there is none. */
export function createFinder(source: string, pattern: RegExp): (from: number) => number {
  const global = new RegExp(pattern, 'g');
  let found = -1;
  return (from) => {
    if (found < from) {
      global.lastIndex = from;
      found = global.exec(source)?.index ?? source.length;
    }
    return found;
  };
}
