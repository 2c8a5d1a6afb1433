import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/takeover/**', '**/node_modules/**'],
    setupFiles: ['test/fakes/loopback-only.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // What is waited for comes at once on a quiet machine, and late on a busy one.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
