/**
 * Returns a function that takes one of `most` places for a holder, such as the address of a client. It returns the
 * function that frees the place, to be called once; or undefined if the holder has no place left.
 */
export function createShares(most: number): (holder: string) => (() => void) | undefined {
  const counts = new Map<string, number>();
  return (holder) => {
    const count = counts.get(holder) ?? 0;
    if (count >= most) return undefined;
    counts.set(holder, count + 1);
    return () => {
      const left = (counts.get(holder) ?? 1) - 1;
      if (left > 0) counts.set(holder, left);
      else counts.delete(holder);
    };
  };
}
