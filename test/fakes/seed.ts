/**
 * Loaded before every test file (vitest.config.ts). `PARLEY_SEED` sets the seed of random tests: of fast-check, which
 * prints the seed of a failure, and of the tests that read the variable themselves and print it.
 */

const { PARLEY_SEED } = process.env;
if (PARLEY_SEED !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(PARLEY_SEED) });
}

export {};
