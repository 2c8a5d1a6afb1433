/**
 * Runs the tests of one room (a part of the code, see `rooms.ts`). `run.ts` passes their paths as a JSON list in
 * MUTATION_TESTS.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Starting a worker for a file takes longer than the file's tests, so only rooms that need isolation start one per
    // file.
    isolate: process.env.MUTATION_ISOLATED === 'true',
    include: JSON.parse(process.env.MUTATION_TESTS ?? '[]'),
    // Tests take at most a second. A mutant that loops forever should not cost a minute.
    testTimeout: 10_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
