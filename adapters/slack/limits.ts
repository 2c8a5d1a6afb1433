/**
 * The Web API methods that the code calls, with the scope and the rate limit of each. The calls of a reply are limited
 * by family; a family is named after its method. A tier is a number of calls per minute for each workspace and app:
 * https://docs.slack.dev/apis/web-api/rate-limits. A method's page states its scope and its tier:
 * https://docs.slack.dev/reference/methods/.
 */

import type { FamilyLimit } from '../../src/kit/ladder.ts';

const TIER_2 = 20;
const TIER_3 = 50;
const TIER_4 = 100;

/**
 * Slack's page on rate limits, section "Posting messages", allows "several hundred messages per minute" in a workspace
 * and, in a channel, one message a second with short bursts.
 */
const POSTS: FamilyLimit = { perMinute: 300, gapMs: 0, perRoom: { perSecond: 1, burst: 3 } };
/** Maximum calls a minute of `assistant.threads.setStatus`, as its own page states. */
const STATUS_LINES_A_MINUTE = 600;
/**
 * Milliseconds between two edits of one message; Slack advises 3 s. `spareGapMs` applies while the workspace has spare
 * edits: a single answer is then edited often for 7 s and less often after that, so that the edits that Slack allows in
 * a minute last a whole minute.
 */
const EDIT_GAP = { gapMs: 1_480, spareGapMs: 450 };
/**
 * Milliseconds between two appends to one stream. Slack allows 100 appends a minute, which is one every 600 ms if
 * evenly spaced. `spareGapMs` applies while the workspace has spare appends.
 */
const APPEND_GAP = { gapMs: 650, spareGapMs: 400 };

interface Method {
  /** The bot's scope; absent if the method needs none. */
  readonly scope?: string;
  /** Absent for methods that are called before the workspace is known. */
  readonly limit?: FamilyLimit;
}

const aMinute = (perMinute: number): Method => ({ limit: { perMinute, gapMs: 0 } });

export const methods: Readonly<Record<string, Method>> = {
  'agents.sessions.rename': { scope: 'chat:write', ...aMinute(TIER_3) },
  'agents.sessions.setStatus': { scope: 'chat:write', ...aMinute(TIER_3) },
  'apps.connections.open': {},
  'assistant.threads.setStatus': { scope: 'chat:write', ...aMinute(STATUS_LINES_A_MINUTE) },
  'assistant.threads.setSuggestedPrompts': { scope: 'assistant:write', ...aMinute(TIER_4) },
  'assistant.threads.setTitle': { scope: 'assistant:write', ...aMinute(TIER_4) },
  'auth.test': {},
  'chat.appendStream': { scope: 'chat:write', limit: { perMinute: TIER_4, ...APPEND_GAP } },
  'chat.delete': { scope: 'chat:write', ...aMinute(TIER_3) },
  'chat.postEphemeral': { scope: 'chat:write', ...aMinute(TIER_4) },
  'chat.postMessage': { scope: 'chat:write', limit: POSTS },
  'chat.startStream': { scope: 'chat:write', ...aMinute(TIER_2) },
  'chat.stopStream': { scope: 'chat:write', ...aMinute(TIER_2) },
  'chat.update': { scope: 'chat:write', limit: { perMinute: TIER_3, ...EDIT_GAP } },
  'conversations.history': { scope: 'channels:history', ...aMinute(TIER_3) },
  'conversations.info': { scope: 'channels:read', ...aMinute(TIER_3) },
  'conversations.members': { scope: 'channels:read', ...aMinute(TIER_4) },
  'conversations.replies': { scope: 'channels:history', ...aMinute(TIER_3) },
  'files.completeUploadExternal': { scope: 'files:write', ...aMinute(TIER_4) },
  'files.getUploadURLExternal': { scope: 'files:write', ...aMinute(TIER_4) },
  /** Slack needs about 1 s to process an upload, so checks stay 400 ms apart even at the end of an answer. */
  'files.info': { scope: 'files:read', limit: { perMinute: TIER_4, gapMs: 400, strict: true } },
  'oauth.v2.access': {},
  'reactions.add': { scope: 'reactions:write', ...aMinute(TIER_3) },
  'reactions.remove': { scope: 'reactions:write', ...aMinute(TIER_2) },
  'usergroups.list': { scope: 'usergroups:read', ...aMinute(TIER_2) },
  'users.info': { scope: 'users:read', ...aMinute(TIER_4) },
  'users.list': { scope: 'users:read', ...aMinute(TIER_2) },
  'views.open': aMinute(TIER_4),
  'views.publish': aMinute(TIER_4),
  'views.push': aMinute(TIER_4),
  'views.update': aMinute(TIER_4),
};

export const limits: Readonly<Record<string, FamilyLimit>> = {
  ...Object.fromEntries(
    Object.entries(methods).flatMap(([name, { limit }]) => (limit === undefined ? [] : [[name, limit]])),
  ),
  /**
   * A response URL accepts five posts. Slack documents no limit per minute for it, so 3 s between posts is cautious:
   * https://docs.slack.dev/interactivity/handling-user-interaction
   */
  response_url: { gapMs: 3_000 },
};
