/** Random numbers that depend only on a seed, so that a failure can be repeated. */

/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number;

/** Returns a random generator (mulberry32) whose numbers depend only on the seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<Value>(random: Random, values: readonly Value[]): Value {
  const [first] = values;
  const found = values[Math.floor(random() * values.length)] ?? first;
  if (found === undefined) throw new Error('There is nothing to choose from.');
  return found;
}
