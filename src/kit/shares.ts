/**
 * Returns a function that takes one of `most` places for a holder, such as the address of a client. It returns the
 * function that frees the place, to be called once; or undefined if the holder has no place left.
 */
export function createShares(most: number): (holder: string) => (() => void) | undefined {
  const taken = new Map<string, number>();
  return (holder) => {
    const count = taken.get(holder) ?? 0;
    if (count >= most) return undefined;
    taken.set(holder, count + 1);
    return () => {
      const left = (taken.get(holder) ?? 1) - 1;
      if (left > 0) taken.set(holder, left);
      else taken.delete(holder);
    };
  };
}
