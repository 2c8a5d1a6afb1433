/**
 * Teams' rate limits for each family of calls (Microsoft's page on rate limits: "Per bot per thread limit", "Per thread
 * limit for all bots", the note on the limit per app and tenant). On that page, a thread is a chat, or a channel with
 * all its threads. All bots in a thread together may make 14 calls a second. The bridge does not know how many calls
 * the other bots make, so it applies only the limits for one bot.
 */

import type { FamilyLimit, SharedWindows } from '../../src/kit/ladder.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** Teams' limit "Send to conversation". It counts sends, edits, deletions, and each call of a stream. */
export const sending: SharedWindows = {
  name: 'sending',
  of: 'room',
  windows: [
    { calls: 7, ms: SECOND_MS },
    { calls: 8, ms: 2 * SECOND_MS },
    { calls: 60, ms: 30 * SECOND_MS },
    { calls: 1_800, ms: HOUR_MS },
  ],
};
/** Limit for one app in one organization: 50 calls a second. */
const tenant: SharedWindows = { name: 'tenant', of: 'tenant', windows: [{ calls: 50, ms: SECOND_MS }] };

/** Limit for look-ups of people in one conversation ("Get conversation members"). */
const members: SharedWindows = {
  name: 'members',
  of: 'room',
  windows: [
    { calls: 14, ms: SECOND_MS },
    { calls: 16, ms: 2 * SECOND_MS },
    { calls: 120, ms: 30 * SECOND_MS },
    { calls: 3_600, ms: HOUR_MS },
  ],
};

/** Milliseconds between two edits of one reply. Teams allows 1,800 calls an hour, which is one every 2 s. */
const EDIT_GAP_MS = 2_500;
/** Milliseconds between two edits of the card under a running text. */
const CARD_GAP_MS = 5_000;
/** Milliseconds between two calls of one stream. Microsoft's page on streaming bot messages: "1 request per second". */
export const STREAM_GAP_MS = 1_000;
/** Time after which Teams itself ends a stream, in milliseconds (Microsoft's page on streaming bot messages). */
export const STREAM_LIFE_MS = 120_000;
/** Milliseconds between two typing indicators. Teams shows an indicator for a few seconds. */
export const TYPING_MS = 4_000;
/** Milliseconds between two look-ups of a reply's message, because Graph may list a new message late. */
const LOOKUP_GAP_MS = 2_000;

export const limits: Readonly<Record<string, FamilyLimit>> = {
  activity: { gapMs: EDIT_GAP_MS, shared: [sending, tenant] },
  /** Edits of the card under an answer while the answer grows. */
  card: { gapMs: CARD_GAP_MS, yields: true, shared: [sending, tenant] },
  stream: { gapMs: STREAM_GAP_MS, strict: true, shared: [sending, tenant] },
  typing: { gapMs: TYPING_MS, yields: true, shared: [sending, tenant] },
  /** Calls that only read. */
  asking: { gapMs: 0, shared: [tenant] },
  members: { gapMs: 0, shared: [members, tenant] },
  lookup: { gapMs: LOOKUP_GAP_MS, strict: true },
};
