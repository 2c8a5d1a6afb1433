/**
 * Lists the parts of the code ("rooms") whose faults would lose answers or leak secrets. Each has sources to mutate,
 * and tests that must detect the mutants.
 */

export interface Room {
  /** Globs of source files, relative to the project. */
  readonly mutate: readonly string[];
  /** Globs of test files, relative to the project. */
  readonly tests: readonly string[];
  /** True if test files mock modules, so that each file needs its own process. */
  readonly isolated?: boolean;
}

export const rooms: Readonly<Record<string, Room>> = {
  pacing: {
    mutate: ['src/core/pacing/**/*.ts'],
    tests: ['test/unit/core/pacing/**/*.test.ts'],
  },
  'live-reply': {
    mutate: ['src/core/live-reply/**/*.ts'],
    tests: ['test/unit/core/live-reply/**/*.test.ts', 'test/unit/core/turns/**/*.test.ts'],
  },
  turns: {
    mutate: ['src/core/turns/**/*.ts', 'src/core/answer/**/*.ts', 'src/core/intake/**/*.ts'],
    tests: ['test/unit/core/**/*.test.ts'],
  },
  store: {
    mutate: ['src/store/**/*.ts', 'src/sqlite.ts'],
    tests: ['test/unit/store/**/*.test.ts', 'test/contract/store/**/*.test.ts'],
  },
  transport: {
    mutate: ['src/platform/{transport,foreign,retry,rate-limit,download,redact,base-url}.ts'],
    tests: [
      'test/unit/platform/{base-url,download,foreign,guarded,rate-limit,redact,retry,transport}.test.ts',
    ],
    isolated: true,
  },
  stream: {
    mutate: ['src/platform/stream/**/*.ts'],
    tests: [
      'test/unit/platform/{answer-decoder,dialects,stream-body,stream-chunks,stream-text,corpora,tool-results,utf8}.test.ts',
    ],
  },
  proofs: {
    mutate: [
      'adapters/slack/receive/signature.ts',
      'adapters/teams/receive/{bearer,keys,proof}.ts',
      'src/web/**/*.ts',
    ],
    // Leaves out web/slow-clients, whose client waits for 10 s.
    tests: [
      'test/unit/slack/receive/signature.test.ts',
      'test/unit/teams/receive/{bearer,key-list,proof}.test.ts',
      'test/unit/web/{link-key,media-links,media-route,passage-html,port,server,source-links,source-page}.test.ts',
    ],
  },
  escaping: {
    mutate: [
      'adapters/slack/render/escape.ts',
      'src/reply/markdown/{scan,look-ahead,fences}.ts',
      'src/reply/markdown/emission/**/*.ts',
      'adapters/*/render/emit.ts',
    ],
    // Uses tests with tables of exact outputs only. Property tests would take seconds per mutant and detect no further
    // mutants.
    tests: [
      'test/unit/reply/markdown/{cut,emission,emission-lines,escape,links,passage,look-ahead,look-ahead-links,scan,sources,table-lines}.test.ts',
      'test/unit/slack/render/{cut,emit,escape}.test.ts',
      'test/unit/teams/render/emit.test.ts',
    ],
  },
};
