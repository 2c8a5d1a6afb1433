import { useEffect, useState } from 'preact/hooks';

/**
 * Returns a hook that loads a part of the page when it is first needed. The hook returns undefined until the part has
 * arrived, and if it cannot be loaded.
 */
export function chunkHook<T>(load: () => Promise<T>): (needed: boolean) => T | undefined {
  let loading: Promise<T> | undefined;
  let loaded: T | undefined;
  return (needed) => {
    const [part, show] = useState(loaded);
    useEffect(() => {
      if (!needed || part !== undefined) return;
      loading ??= load();
      const chunk = loading.then((arrived) => show(() => (loaded = arrived)));
      chunk.catch(() => (loading = undefined));
    }, [needed]);
    return needed ? part : undefined;
  };
}
