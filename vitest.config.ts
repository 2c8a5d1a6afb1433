import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders of files that run for a minute or more and mostly wait, the longest first. */
const LONG = [/\/test\/conform\//, /\/test\/(faults|e2e|contract\/store)\//];

/**
 * Starts long files first, so that no worker is idle while the last one runs. Files with processes of their own come
 * before the others, because a shared process ends when the next file needs its own.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification) => {
      const found = LONG.findIndex((folder) => folder.test(moduleId));
      const place = found === -1 ? LONG.length : found;
      return project.name === 'apart' ? place : place + LONG.length + 1;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/**
 * Files with a process of their own: those that replace modules, and those that start bridges and fakes, because each
 * leaves servers and memory behind that slow down the next one.
 */
const APART = [
  'test/unit/platform/foreign.test.ts',
  'test/unit/platform/guarded.test.ts',
  'test/{faults,conform}/**/*.test.ts',
  'test/e2e/{*,cli/*}.test.ts',
];
const LEFT_OUT = ['test/bench/**', 'test/takeover/**', '**/node_modules/**'];

/** In a test process, channels that import Parley by its name get the modules that the tests import. */
const ENTRIES = [
  { find: /^parley\/kit$/, replacement: `${import.meta.dirname}/src/kit/package.ts` },
  { find: /^parley\/kit\/ladder$/, replacement: `${import.meta.dirname}/src/kit/ladder.ts` },
];

export default defineConfig({
  resolve: { alias: ENTRIES },
  test: {
    projects: [
      {
        extends: true,
        // Loading the modules again takes 0.9 s of CPU per file, which is longer than most of the tests.
        test: {
          name: 'together',
          include: ['{test,channels/*/test}/**/*.test.ts'],
          exclude: [...LEFT_OUT, ...APART],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'apart', include: APART, exclude: LEFT_OUT },
      },
    ],
    globalSetup: 'bin/test-setup.js',
    setupFiles: [
      'test/fakes/loopback-only.ts',
      'test/fakes/owners-setup.ts',
      'test/fakes/seed.ts',
      'test/fakes/own-environment.ts',
    ],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A poll ends as soon as its condition is met, so a long timeout delays only failures. A busy machine needs it.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongFirst },
    // More than the two cores of the build machine, because the long files mostly wait.
    maxWorkers: 5,
  },
});
