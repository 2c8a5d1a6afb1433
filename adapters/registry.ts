/** Every channel by its name, loaded only where it is switched on. */
export const adapters = {
  console: () => import('./console/index.ts'),
  terminal: () => import('./terminal/index.ts'),
} as const;
