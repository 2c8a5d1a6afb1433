/**
 * Rate limits of the account. Servers limit the bytes of a connection, not its calls: prosody's default configuration
 * allows 10 kB/s, ejabberd's example 3 kB/s after a burst of 20 kB. Above the limit, both only read more slowly.
 * ejabberd's rooms may also refuse messages that follow too soon (`min_message_interval`; processone/ejabberd#2555).
 */

import type { FamilyLimit } from 'parley/kit';
import type { SharedWindows } from 'parley/kit/ladder';

/** Milliseconds between two corrections of one message. */
const CORRECTION_GAP_MS = 1_000;
/** The same, in milliseconds, while most of the account's calls are unused. */
const SPARE_GAP_MS = 500;
/** Milliseconds between two look-ups of a message in the archive. */
const LOOKUP_GAP_MS = 500;
/** Length of the window in which calls are counted, in seconds. */
const WINDOW_SECONDS = 4;

export function limitsOf(messagesPerSecond: number): Readonly<Record<string, FamilyLimit>> {
  const account: SharedWindows = {
    name: 'account',
    of: 'tenant',
    windows: [{ calls: messagesPerSecond * WINDOW_SECONDS, ms: WINDOW_SECONDS * 1_000 }],
  };
  const shared = [account];
  return {
    message: { gapMs: 0, shared },
    correction: {
      gapMs: CORRECTION_GAP_MS,
      spareGapMs: SPARE_GAP_MS,
      perMinute: messagesPerSecond * 60,
      shared,
    },
    state: { gapMs: 0, yields: true, shared },
    upload: { gapMs: 0, shared },
    lookup: { gapMs: LOOKUP_GAP_MS, strict: true },
  };
}
