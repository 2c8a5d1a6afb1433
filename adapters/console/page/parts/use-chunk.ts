import { useEffect, useState } from 'preact/hooks';

/**
 * Returns a hook that loads a part of the page when it is first needed. The hook returns undefined until the part has
 * arrived, and if it cannot be loaded.
 */
export function chunkHook<T>(load: () => Promise<T>): (needed: boolean) => T | undefined {
  let loaded: T | undefined;
  return (needed) => {
    const [, show] = useState(loaded);
    useEffect(() => {
      if (!needed) return;
      const shown = load().then((part) => {
        loaded = part;
        show(() => part);
      });
      shown.catch(() => undefined);
    }, [needed]);
    return needed ? loaded : undefined;
  };
}
