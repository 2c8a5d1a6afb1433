/**
 * Plays labelled threads (`test/recorded/threads`): which messages are questions, and which are silence. Each channel
 * gets the events that its chat platform would send.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Labelled, type Player, wrongIn } from './playing.ts';
import { kitPlayer } from './playing-kit.ts';
import { slackPlayer } from './playing-slack.ts';
import { teamsPlayer } from './playing-teams.ts';

const folder = new URL('../../recorded/threads/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const threads: readonly Labelled[] = files.flatMap((name) =>
  JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
);

const players: Readonly<Record<string, (thread: Labelled) => Player>> = {
  kit: kitPlayer,
  slack: slackPlayer,
  teams: teamsPlayer,
};

describe.each(Object.entries(players))('%s', (channel, open) => {
  test('answers nothing that was not meant for it, and misses at most two questions', async () => {
    const wrong = [];
    const played = threads.filter(({ except = {} }) => !(channel in except));
    for (const thread of played) wrong.push(...(await wrongIn(thread, open(thread))));
    const answered = wrong.filter(({ expect: label }) => label === 'silence');
    const missed = wrong.filter(({ expect: label }) => label !== 'silence');
    const count = played.reduce((sum, { messages }) => sum + messages.length, 0);
    process.stderr.write(
      `${channel}: ${played.length} threads, ${count} messages, ${answered.length} false answers, ${missed.length} missed\n`,
    );
    expect(answered).toEqual([]);
    expect(missed.length, JSON.stringify(missed, undefined, 1)).toBeLessThanOrEqual(2);
  });
});
