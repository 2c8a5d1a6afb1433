/** Both parts of the kit in one object, which Parley passes to channels that export a function. */

export * from '../kit.ts';
export * from './front.ts';
export * from './ladder.ts';
