import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/takeover/**', '**/node_modules/**'],
    setupFiles: ['test/fakes/loopback-only.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for comes at once on a quiet machine, and late on a busy one.
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
