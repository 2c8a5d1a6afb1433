/** The store: what the bridge remembers, and the engines that keep it. */

export { openStore } from './sqlite/index.ts';
export type { Store } from './store.ts';
