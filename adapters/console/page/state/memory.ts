/** Values that the browser stores between visits. If its storage cannot be used, they are lost. */

const PREFIX = 'parley.';

export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch {
    // Storage fails in private windows, or when it is full. The page works without it.
  }
}
