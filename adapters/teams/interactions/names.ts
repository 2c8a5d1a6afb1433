/** What people call a conversation. */

import { createCache, share } from '../../../src/kit/cache.ts';
import type { Clock } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import { readPatiently } from '../api/patience.ts';
import { readConversation } from '../ids.ts';
import type { Allowance } from '../inbound/allowance.ts';
import { words } from './words.ts';

/** How long names of channels count. */
const KNOWN_MS = 60 * 60_000;
/** Teams whose channels are remembered. */
const TEAMS = 1_000;

export interface Names {
  /** Always some; Teams is asked for the names of a team's channels once an hour. */
  of(place: TeamsPlace): Promise<string>;
}

export interface NameDeps {
  readonly connector: Pick<Connector, 'channels'>;
  readonly allowance: Allowance;
  readonly clock: Clock;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

type Channels = ReadonlyMap<string, string | undefined>;

export function createNames({ connector, allowance, clock, signal }: NameDeps): Names {
  const known = createCache<Promise<Channels>>({ clock, max: TEAMS, ttlMs: KNOWN_MS });
  const read = async (team: string, serviceUrl: string): Promise<Channels> => {
    const got = await readPatiently(
      async () => {
        await allowance(team, signal);
        return connector.channels(serviceUrl, team, signal);
      },
      { clock, signal },
    );
    if (got.kind !== 'got') throw new Error('Teams did not name the channels of a team.');
    return new Map(got.value.map(({ id, name }) => [id, name]));
  };
  const channelsOf = (team: string, { tenant, serviceUrl }: TeamsPlace): Promise<Channels> => {
    const key = `${tenant} ${team}`;
    return known.get(key) ?? share(known, key, read(team, serviceUrl));
  };
  return {
    async of(place) {
      const { name, team, conversation } = place;
      if (team === undefined) return name ?? words.groupChat;
      const channels = await channelsOf(team, place).catch(() => undefined);
      const { room } = readConversation(conversation);
      // The General channel has no name of its own.
      const channel = channels?.get(room) ?? (channels?.has(room) ? words.generalChannel : undefined);
      return [name, channel].filter(Boolean).join(': ') || words.aChannel;
    },
  };
}
