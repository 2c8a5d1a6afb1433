/**
 * A function that remembers what it made for the keys that were asked last: at least `limit` of them, at most twice as
 * many. `undefined` is made anew each time.
 */
export function remembering<T>(limit: number, make: (key: string) => T): (key: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) return known;
    const value = older.get(key) ?? make(key);
    if (recent.size >= limit) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, value);
    return value;
  };
}
