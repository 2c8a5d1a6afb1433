import type { FamilyLimit } from '../../src/kit.ts';

/** Rate limits of a reply's calls. No foreign service is called, so only readability limits the rate. */
export const moveLimits: Readonly<Record<'post' | 'edit' | 'remove', FamilyLimit>> = {
  post: { gapMs: 0 },
  remove: { gapMs: 0 },
  /** Allows 10 edits a second, so that the text grows smoothly. The bridge stores the text before each edit. */
  edit: { gapMs: 100 },
};

/** Maximum UTF-16 units of a message, as in `ConsoleState.limits`. */
export const TEXT_CHARS = 100_000;
/** Maximum files of one message. */
export const FILES = 10;
/** Maximum bytes of one file. */
export const FILE_BYTES = 10 * 1024 * 1024;
/** Maximum uploads read into memory at a time, and maximum uploads that wait for their turn. */
export const UPLOADS_AT_ONCE = 4;
export const UPLOADS_WAITING = 50;
/** Maximum bytes of uploads that no message uses yet: of one person (ten files of maximum size), and in total. */
export const UNATTACHED_BYTES_OF_ONE = FILES * FILE_BYTES;
export const UNATTACHED_BYTES = 4 * UNATTACHED_BYTES_OF_ONE;
/** Minimum bytes that an upload counts as, because even a tiny file takes a database entry and a disk block. */
export const LEAST_COUNTED_BYTES = 64 * 1024;
/** Maximum bytes of all stored files. */
export const KEPT_BYTES = 10 * 1024 * 1024 * 1024;
/** Maximum bytes of a JSON body. A message of `TEXT_CHARS`, each character escaped to six bytes, fits easily. */
export const JSON_BYTES = 1024 * 1024;
/** Maximum rooms, as a guard against mistakes and floods. */
export const ROOMS = 200;
/** Maximum roots, or messages of a thread, on one page. Earlier ones are requested with `before`. */
export const PAGE_MESSAGES = 200;
