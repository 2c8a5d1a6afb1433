/**
 * What Teams allows, by move family (Microsoft's page on rate limits: "Per bot per thread limit", "Per thread limit for
 * all bots", the note on the limit per app and tenant). A thread is there a chat, or a channel with all its threads. The
 * share that other bots use of a thread's 14 calls a second cannot be known.
 */

import type { FamilyLimit, SharedWindows } from '../../src/kit.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** "Send to conversation": sending, editing and deleting, and each call of a stream. */
const sending: SharedWindows = {
  name: 'sending',
  of: 'room',
  windows: [
    { calls: 7, ms: SECOND_MS },
    { calls: 8, ms: 2 * SECOND_MS },
    { calls: 60, ms: 30 * SECOND_MS },
    { calls: 1_800, ms: HOUR_MS },
  ],
};
/** Of one app in one organisation. */
const tenant: SharedWindows = { name: 'tenant', of: 'tenant', windows: [{ calls: 50, ms: SECOND_MS }] };

/** Milliseconds between two edits of one reply: 1,800 an hour are one in 2 s. */
const EDIT_GAP_MS = 2_500;
/** Milliseconds between two changes of what stands under a running text. */
const CARD_GAP_MS = 5_000;
/** "The throttling limit is 1 request per second" (Microsoft's page on streaming bot messages). */
const STREAM_GAP_MS = 1_000;
/** Milliseconds between two typing indicators; Teams shows one for a few seconds. */
export const TYPING_MS = 4_000;
/** Milliseconds between two look-ups of a reply: what was written need not be found at once. */
const LOOKUP_GAP_MS = 2_000;

export const limits: Readonly<Record<string, FamilyLimit>> = {
  activity: { gapMs: EDIT_GAP_MS, shared: [sending, tenant] },
  /** What stands under a running text. */
  card: { gapMs: CARD_GAP_MS, yields: true, shared: [sending, tenant] },
  stream: { gapMs: STREAM_GAP_MS, strict: true, shared: [sending, tenant] },
  typing: { gapMs: TYPING_MS, yields: true, shared: [sending, tenant] },
  /** What changes nothing. How often one conversation may be asked about is kept beside it. */
  asking: { gapMs: 0, shared: [tenant] },
  lookup: { gapMs: LOOKUP_GAP_MS, strict: true },
};
