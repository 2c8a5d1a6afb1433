/** The tests of one room, which `run.ts` passes in MUTATION_TESTS as a JSON list. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // A worker per file would cost more than its tests, so only rooms that need one have it.
    isolate: process.env.MUTATION_ISOLATED === 'true',
    include: JSON.parse(process.env.MUTATION_TESTS ?? '[]'),
    // A test takes at most a second; a mutant that never ends should not cost a minute.
    testTimeout: 10_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
