/** The tests of a takeover, which `run.ts` starts; PARLEY_BEFORE contains the checkout of the earlier version. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/takeover/*.test.ts'], testTimeout: 180_000, hookTimeout: 60_000, maxWorkers: 1 },
});
