/**
 * Runs the takeover tests, which `run.ts` starts. PARLEY_BEFORE contains the path of the earlier version's checkout.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/takeover/*.test.ts'], testTimeout: 180_000, hookTimeout: 60_000, maxWorkers: 1 },
});
