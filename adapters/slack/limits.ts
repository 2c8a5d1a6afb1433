/**
 * Slack's limits by move family; a family is named like the Web API method. Tiers: calls a minute, per workspace and
 * app, https://docs.slack.dev/apis/web-api/rate-limits; the tier of a method stands on its page under
 * https://docs.slack.dev/reference/methods/.
 */

import type { FamilyLimit } from '../../src/kit.ts';

const TIER_2 = 20;
const TIER_3 = 50;
const TIER_4 = 100;

/** "Several hundred messages per minute" for the workspace: the page on rate limits, "Posting messages". */
const POSTS_A_MINUTE = 300;
/** `assistant.threads.setStatus` has 600 a minute of its own, says its page. */
const STATUS_LINES_A_MINUTE = 600;
/**
 * Milliseconds between two edits of one message. Slack advises 3 s; shorter gaps are used while the workspace has edits
 * to spare. A lone answer by edits is fast for 7 s and then slow enough to last out its first minute.
 */
const EDIT_GAP = { gapMs: 1_480, spareGapMs: 450 };
/** Milliseconds between two appends to one stream: 100 a minute would be 600. */
const APPEND_GAP = { gapMs: 650, spareGapMs: 400 };

export const limits: Readonly<Record<string, FamilyLimit>> = {
  'chat.startStream': { perMinute: TIER_2, gapMs: 0 },
  'chat.appendStream': { perMinute: TIER_4, ...APPEND_GAP },
  'chat.stopStream': { perMinute: TIER_2, gapMs: 0 },
  'chat.update': { perMinute: TIER_3, ...EDIT_GAP },
  /** One a second and channel, short bursts allowed: the same page. */
  'chat.postMessage': { perMinute: POSTS_A_MINUTE, gapMs: 0, perRoom: { perSecond: 1, burst: 3 } },
  'chat.postEphemeral': { perMinute: TIER_4, gapMs: 0 },
  'chat.delete': { perMinute: TIER_3, gapMs: 0 },
  'agents.sessions.setStatus': { perMinute: TIER_3, gapMs: 0 },
  'agents.sessions.rename': { perMinute: TIER_3, gapMs: 0 },
  'assistant.threads.setSuggestedPrompts': { perMinute: TIER_4, gapMs: 0 },
  'assistant.threads.setTitle': { perMinute: TIER_4, gapMs: 0 },
  'assistant.threads.setStatus': { perMinute: STATUS_LINES_A_MINUTE, gapMs: 0 },
  'conversations.replies': { perMinute: TIER_3, gapMs: 0 },
  'files.getUploadURLExternal': { perMinute: TIER_4, gapMs: 0 },
  'files.completeUploadExternal': { perMinute: TIER_4, gapMs: 0 },
  /** Slack processes an upload for about 1 s, so checks of it keep a gap, also at the end of an answer. */
  'files.info': { perMinute: TIER_4, gapMs: 400, strict: true },
  'reactions.add': { perMinute: TIER_3, gapMs: 0 },
  'reactions.remove': { perMinute: TIER_2, gapMs: 0 },
  'users.info': { perMinute: TIER_4, gapMs: 0 },
  'users.list': { perMinute: TIER_2, gapMs: 0 },
  'views.open': { perMinute: TIER_4, gapMs: 0 },
  'views.publish': { perMinute: TIER_4, gapMs: 0 },
  'views.push': { perMinute: TIER_4, gapMs: 0 },
  'views.update': { perMinute: TIER_4, gapMs: 0 },
  /**
   * Five uses of one address: https://docs.slack.dev/interactivity/handling-user-interaction. Not limited by the
   * minute.
   */
  response_url: { gapMs: 3_000 },
};
