import type { FamilyLimit } from '../../src/kit.ts';

/** Limits of a reply's calls. The console is Parley's own, so only readability sets the pace. */
export const moveLimits: Readonly<Record<'post' | 'edit' | 'remove', FamilyLimit>> = {
  post: { gapMs: 0 },
  remove: { gapMs: 0 },
  /** 10 a second: the text still grows smoothly, and each edit is on disk before it is shown. */
  edit: { gapMs: 100 },
};

/** UTF-16 units of a message, as in `ConsoleState.limits`. */
export const TEXT_CHARS = 100_000;
/** Files of one message. */
export const FILES = 10;
/** Bytes of one file. */
export const FILE_BYTES = 10 * 1024 * 1024;
/** Maximum uploads read into memory at a time, and maximum uploads that wait for their turn. */
export const UPLOADS_AT_ONCE = 4;
export const UPLOADS_WAITING = 50;
/** Maximum bytes of uploads that no message uses yet: of one person (ten of the largest), and in all. */
export const UNATTACHED_BYTES_OF_ONE = FILES * FILE_BYTES;
export const UNATTACHED_BYTES = 4 * UNATTACHED_BYTES_OF_ONE;
/** Least that an upload counts, in bytes: its entry and its disk block cost something even if it is one byte long. */
export const LEAST_COUNTED_BYTES = 64 * 1024;
/** Maximum bytes of all stored files. */
export const KEPT_BYTES = 10 * 1024 * 1024 * 1024;
/** Bytes of a JSON body: a message of `TEXT_CHARS`, every character escaped as six bytes, with room to spare. */
export const JSON_BYTES = 1024 * 1024;
/** Rooms people may make; more is a mistake or a flood. */
export const ROOMS = 200;
/** Roots, or messages of a thread, that one page carries; older ones are asked for with `before`. */
export const PAGE_MESSAGES = 200;
