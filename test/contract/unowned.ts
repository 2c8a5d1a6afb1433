import type { Owner } from '../../src/kit/ladder.ts';

/** Stores a value as versions before the column `owner` did, and as a channel in JavaScript may do. */
export const UNOWNED = undefined as unknown as Owner;
