/** The tests of a takeover, which `run.ts` starts; the checkout of the earlier version stands in PARLEY_BEFORE. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/takeover/*.test.ts'], testTimeout: 180_000, hookTimeout: 60_000, maxWorkers: 1 },
});
