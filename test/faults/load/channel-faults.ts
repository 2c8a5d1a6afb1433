/** Seeded faults of Slack and Teams during a run. */

import type { Fault as SlackFault } from '../../fakes/slack/index.ts';
import type { Fault as TeamsFault } from '../../fakes/teams/index.ts';
import type { Town } from './town.ts';

/** Duration of a fault that hits each call only with some probability, in milliseconds. */
const STORM_MS = 5_000;

const SLACK: readonly SlackFault[] = [
  { kind: 'rate', retryAfter: 1, method: 'chat.*', probability: 0.3, forMs: STORM_MS },
  { kind: 'rate', retryAfter: 1, count: 3 },
  { kind: 'status', status: 500, method: 'chat.*', count: 3 },
  { kind: 'status', status: 503, method: 'chat.*', probability: 0.3, forMs: STORM_MS },
  { kind: 'timeout', method: 'chat.*' },
  { kind: 'timeout', method: 'reactions.*' },
  { kind: 'hang', method: 'chat.startStream' },
  { kind: 'hang', method: 'chat.*' },
  { kind: 'slow', ms: 2_000, method: 'chat.*', count: 3 },
  { kind: 'reset', method: 'chat.*', count: 2 },
  { kind: 'refuse', method: 'chat.*', count: 2 },
];

const TEAMS: readonly TeamsFault[] = [
  { kind: 'rate', retryAfter: 1, probability: 0.3, forMs: STORM_MS },
  { kind: 'status', status: 412, count: 2 },
  { kind: 'status', status: 500, count: 2 },
  { kind: 'status', status: 502, count: 2 },
  { kind: 'gateway', status: 504, method: ['send', 'update'] },
  { kind: 'timeout', method: 'update' },
  { kind: 'hang', method: ['send', 'update'] },
  { kind: 'slow', ms: 2_000, count: 3 },
  { kind: 'reset', method: ['send', 'update', 'final'] },
  { kind: 'refuse', count: 2 },
];

/** Plants one fault of one channel. */
export function plantFault({ slack, teams }: Town, random: () => number): void {
  const one = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  if (random() < 0.6) {
    const fault = one(SLACK);
    const team = one([...slack.world.workspaces.keys()]);
    if (fault !== undefined && team !== undefined) slack.plant({ ...fault, team });
    return;
  }
  const fault = one(TEAMS);
  if (fault !== undefined) teams.plant(fault);
}
