/** Values that the browser stores between visits. If its storage cannot be used, they are lost. */

const PREFIX = 'parley.';

/** Storage of a value: that of this browser, or that of this tab only. */
type Scope = 'localStorage' | 'sessionStorage';

export function recall(key: string, scope: Scope = 'localStorage'): string | undefined {
  try {
    return window[scope].getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string | undefined, scope: Scope = 'localStorage'): void {
  try {
    if (value === undefined) window[scope].removeItem(PREFIX + key);
    else window[scope].setItem(PREFIX + key, value);
  } catch {
    // Storage fails in private windows, or when it is full. The page works without it.
  }
}
