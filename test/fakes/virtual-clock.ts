/** Virtual time for tests; `parley conform` uses the same clock. */
export * from '../../src/conform/virtual-clock.ts';
