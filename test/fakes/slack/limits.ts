/**
 * Slack's rate limits. Tiers: https://docs.slack.dev/apis/web-api/rate-limits ("20+", "50+", "100+ per minute",
 * counted per method, workspace and app); the page of a method names its tier, under
 * https://docs.slack.dev/reference/methods/.
 */

import type { Clock } from '../../../src/core/clock.ts';

export interface Rate {
  readonly calls: number;
  /** Length of the window in milliseconds. */
  readonly per: number;
}

const MINUTE = 60_000;
const tier2: Rate = { calls: 20, per: MINUTE };
const tier3: Rate = { calls: 50, per: MINUTE };
const tier4: Rate = { calls: 100, per: MINUTE };

export const documentedRates: Readonly<Record<string, Rate>> = {
  'chat.startStream': tier2,
  'chat.stopStream': tier2,
  'chat.appendStream': tier4,
  'chat.update': tier3,
  'chat.delete': tier3,
  'chat.postEphemeral': tier4,
  // "Several hundred messages per minute" for the workspace. `postsPerChannel` below also limits each channel to one
  // post per second.
  'chat.postMessage': { calls: 300, per: MINUTE },
  'agents.sessions.setStatus': tier3,
  'agents.sessions.rename': tier3,
  // Special tier: 600 a minute, https://docs.slack.dev/reference/methods/assistant.threads.setStatus
  'assistant.threads.setStatus': { calls: 600, per: MINUTE },
  'assistant.threads.setTitle': tier4,
  'assistant.threads.setSuggestedPrompts': tier4,
  'conversations.info': tier3,
  'conversations.replies': tier3,
  'conversations.history': tier3,
  'conversations.open': tier3,
  'conversations.join': tier3,
  'conversations.members': tier4,
  'users.info': tier4,
  'users.list': tier2,
  'team.info': tier3,
  'bots.info': tier3,
  'files.getUploadURLExternal': tier4,
  'files.completeUploadExternal': tier4,
  'files.info': tier4,
  'reactions.add': tier3,
  'reactions.remove': tier2,
  'views.open': tier4,
  'views.publish': tier4,
  'views.update': tier4,
  'views.push': tier4,
  'auth.revoke': tier3,
  // Special tier: 600 a minute.
  'oauth.v2.access': { calls: 600, per: MINUTE },
  'apps.connections.open': tier3,
  'apps.uninstall': { calls: 1, per: MINUTE },
};

/** One post per second in each channel, with short bursts: rate limits page, "Posting messages". */
const postsPerChannel = { rate: { calls: 1, per: 1_000 }, burst: 3 };

export interface LimitOptions {
  /**
   * `window`: at most `calls` in any period. `bucket`: `calls` at once, and the slots return evenly over the period.
   */
  readonly mode?: 'window' | 'bucket';
  readonly rates?: Readonly<Record<string, Rate>>;
  readonly postsPerChannel?: { readonly rate: Rate; readonly burst: number };
  /** True switches off all limits. */
  readonly off?: boolean;
}

export interface Limiter {
  /** Takes a slot and returns 0, or returns the whole seconds until one is free. */
  take(team: string, method: string, channel: string | undefined): number;
}

interface Gauge {
  /** Returns the milliseconds until a call passes; 0 if it passes now. */
  wait(now: number): number;
  take(now: number): void;
}

export function createLimiter(clock: Clock, options: LimitOptions = {}): Limiter {
  const { mode = 'window', rates = {}, off = false } = options;
  const perChannel = options.postsPerChannel ?? postsPerChannel;
  const gauges = new Map<string, Gauge>();
  const gauge = (key: string, make: () => Gauge): Gauge => {
    const known = gauges.get(key) ?? make();
    gauges.set(key, known);
    return known;
  };
  const ofMethod = (team: string, method: string): readonly Gauge[] => {
    const rate = rates[method] ?? documentedRates[method];
    if (rate === undefined) return [];
    return [gauge(`${team} ${method}`, () => (mode === 'window' ? sliding(rate) : bucket(rate, rate.calls)))];
  };
  const ofChannel = (team: string, method: string, channel: string | undefined): readonly Gauge[] =>
    method === 'chat.postMessage' && channel !== undefined
      ? [gauge(`${team} ${method} ${channel}`, () => bucket(perChannel.rate, perChannel.burst))]
      : [];
  return {
    take(team, method, channel) {
      if (off) return 0;
      const now = clock.now();
      const all = [...ofMethod(team, method), ...ofChannel(team, method, channel)];
      const wait = Math.max(0, ...all.map((each) => each.wait(now)));
      if (wait > 0) return Math.max(1, Math.ceil(wait / 1_000));
      for (const each of all) each.take(now);
      return 0;
    },
  };
}

function sliding({ calls, per }: Rate): Gauge {
  const taken: number[] = [];
  const forget = (now: number) => {
    while (taken[0] !== undefined && taken[0] <= now - per) taken.shift();
  };
  return {
    wait(now) {
      forget(now);
      if (taken.length < calls) return 0;
      return (taken[taken.length - calls] ?? now) + per - now;
    },
    take: (now) => taken.push(now),
  };
}

function bucket({ calls, per }: Rate, capacity: number): Gauge {
  let left = capacity;
  let at: number | undefined;
  const each = per / calls;
  const refill = (now: number) => {
    left = Math.min(capacity, left + (now - (at ?? now)) / each);
    at = now;
  };
  return {
    wait(now) {
      refill(now);
      // A rounding error of a millionth of a slot must not make the wait a whole second longer.
      return left >= 1 - 1e-6 ? 0 : (1 - left) * each;
    },
    take(now) {
      refill(now);
      left -= 1;
    },
  };
}
