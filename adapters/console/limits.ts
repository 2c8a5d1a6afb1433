import type { FamilyLimit } from '../../src/kit/ladder.ts';

/**
 * Rate limits of a reply's calls. The console calls no other service, so edits are limited only because people cannot
 * follow faster changes.
 */
export const moveLimits: Readonly<Record<'post' | 'edit' | 'remove', FamilyLimit>> = {
  post: { gapMs: 0 },
  remove: { gapMs: 0 },
  /** Allows 10 edits a second, so that the text grows smoothly. */
  edit: { gapMs: 100 },
};

/**
 * The limits if several replicas share the chat. Each edit is then stored at once, because pages of other replicas read
 * it from the database.
 */
export const sharedMoveLimits: typeof moveLimits = { ...moveLimits, edit: { gapMs: 300 } };

/** Maximum UTF-16 units of a message. The page receives it in `ConsoleState.limits`. */
export const TEXT_CHARS = 100_000;
/** Maximum UTF-16 units of the texts of a correction. The platform's documentation names no limit. */
export const CORRECTION_CHARS = { question: 2_000, answer: 30_000 } as const;
/** Maximum files of one message. */
export const FILES = 10;
/** Maximum bytes of one file. */
export const FILE_BYTES = 10 * 1024 * 1024;
/** Maximum number of uploads read into memory at the same time, and of uploads that wait. */
export const MAX_CONCURRENT_UPLOADS = 4;
export const MAX_WAITING_UPLOADS = 50;
/** Maximum bytes of uploads that no message uses yet: per person (ten files of maximum size), and in total. */
export const UNATTACHED_BYTES_OF_ONE = FILES * FILE_BYTES;
export const UNATTACHED_BYTES = 4 * UNATTACHED_BYTES_OF_ONE;
/** An upload counts as at least this many bytes, because even a tiny file needs a database entry and a disk block. */
export const LEAST_COUNTED_BYTES = 64 * 1024;
/** Maximum bytes of all stored files. */
export const KEPT_BYTES = 10 * 1024 * 1024 * 1024;
/** Maximum bytes of a JSON body. A message of `TEXT_CHARS` fits even if JSON needs six bytes for each character. */
export const JSON_BYTES = 1024 * 1024;
/** Maximum number of public rooms, and of private rooms of one person. Protects against mistakes and floods. */
export const ROOMS = 200;
/** Maximum number of all rooms, of members of a room, and of conversations of one person. */
export const ALL_ROOMS = 20_000;
export const MEMBERS = 200;
export const CONVERSATIONS = 500;
/** Maximum messages on one page of a room or thread. A request with `before` returns the page of older messages. */
export const PAGE_MESSAGES = 200;
