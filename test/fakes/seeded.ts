/** Random numbers for tests; `parley conform` uses the same generator. */
export { seeded } from '../../src/conform/random.ts';
