/** Compares secrets that come with requests. */

import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/**
 * True if the two texts are equal. Takes the same time for every text, so that the duration of a comparison reveals
 * nothing about the secret. Absent and empty texts equal nothing.
 * @example
 * ```ts
 * isSameSecret('a-long-secret', 'a-long-secret'); // true
 * isSameSecret(undefined, 'a-long-secret'); // false
 * ```
 */
export const isSameSecret = (given: unknown, due: string): boolean =>
  typeof given === 'string' && due !== '' && timingSafeEqual(digest(given), digest(due));
