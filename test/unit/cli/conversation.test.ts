/** Tests `parley ask` with sources that arrive after the end of the text. */

import { afterEach, expect, it, vi } from 'vitest';
import { createTerminal } from '../../../adapters/terminal/index.ts';
import { withConversation } from '../../../src/cli/conversation.ts';
import { begin, finish } from '../../../src/core/live-reply/compose.ts';
import { change, type ReplyDocument } from '../../../src/core/reply.ts';
import type { ShowReply } from '../../../src/kit/terminal.ts';
import { type AdapterHost, turnId } from '../../../src/kit.ts';
import { makeDataFolder } from '../../e2e/house/running-parley.ts';
import { house } from '../../fakes/house.ts';
import { source } from '../../fakes/samples.ts';

afterEach(() => vi.unstubAllEnvs());

it('the command waits until the turn has settled, and returns the last state', async () => {
  const data = await makeDataFolder();
  vi.stubEnv('PARLEY_DATA', data.path);
  vi.stubEnv('PLATFORM_BASE_URL', 'http://127.0.0.1:9');
  const turn = turnId('t');
  const done = finish(change(begin(turn), { text: 'An answer.' }));
  let late: () => void = () => undefined;
  const terminal = async (show: ShowReply) => ({
    ...createTerminal(show),
    ask: async () => {
      show(turn, done);
      late = () => show(turn, change(done, { sources: [source()] }));
      return { kind: 'kept', turn, ahead: 0 } as const;
    },
    settled: async () => late(),
  });
  const seen: ReplyDocument[] = [];
  await withConversation({ ...house, terminal }, undefined, async ({ ask }) => {
    const last = await ask({ text: 'q', thread: 'k', images: [] }, (document) => seen.push(document));
    expect(last.sources).toHaveLength(1);
    return 0;
  });
  expect(seen.map(({ sources }) => sources.length)).toEqual([0, 1]);
  await data.remove();
});

it('the command asks the bridge repeatedly until the turn has settled', async () => {
  const asked: string[] = [];
  const host: Pick<AdapterHost, 'clock' | 'pending'> = {
    clock: { now: () => 1, wait: async () => undefined },
    pending: async (turn) => asked.push(turn) < 3,
  };
  const terminal = createTerminal(() => undefined);
  await terminal.adapter.start(host as AdapterHost);
  await terminal.settled(turnId('t'));
  expect(asked).toEqual(['t', 't', 't']);
});
