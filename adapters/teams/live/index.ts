/** Teams in a live check: the adapter, whose calls are recorded, and the acts. */

import { type LiveChannel, liveActs, streamAct } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { TeamsConfig } from '../config.ts';
import { createTeams } from '../index.ts';
import { STREAM_GAP_MS, STREAM_LIFE_MS } from '../limits.ts';
import { STREAM_MS } from '../write/stream.ts';
import { createTeamsChat } from './chat.ts';
import { pressRows, writtenRows } from './rows.ts';

/** Calls of a stream in the usual pace, after which one call comes at once. */
const PACED = 5;
/** Milliseconds between two calls while the length of a stream is measured. */
const STEP_MS = 5_000;

const pauses = (count: number, ms: number): readonly number[] => Array.from({ length: count }, () => ms);

export function teamsLive(config: TeamsConfig, clock: Clock): LiveChannel {
  const { chat, watch, calls } = createTeamsChat(config, clock);
  const streams = [
    streamAct(chat, {
      name: 'stream-pace',
      proves: `A stream accepts a call every ${STREAM_GAP_MS / 1_000} s`,
      pauses: [...pauses(PACED, STREAM_GAP_MS), 0],
      assumed: PACED,
    }),
    streamAct(chat, {
      name: 'stream-life',
      proves: `A stream lives for ${STREAM_MS / 1_000} s`,
      // Goes on after the two minutes that Microsoft documents, to see how Teams ends a stream.
      pauses: pauses(STREAM_LIFE_MS / STEP_MS + 2, STEP_MS),
      assumed: STREAM_MS / STEP_MS,
    }),
  ];
  return {
    adapter: createTeams(config, watch),
    way: 'HTTP',
    silence:
      'Check that the messaging endpoint of the bot leads to this bridge, that the app is added to this chat or team, and that MICROSOFT_APP_TENANT_ID is its organization.',
    acts: liveActs(chat, { ...writtenRows(config), ...pressRows }, streams, calls),
    calls,
  };
}
