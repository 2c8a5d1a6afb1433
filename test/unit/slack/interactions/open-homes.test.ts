import { expect, it } from 'vitest';
import type { InteractionDeps } from '../../../../adapters/slack/interactions/deps.ts';
import { createOpenHomes } from '../../../../adapters/slack/interactions/home.ts';
import { createPreferences } from '../../../../adapters/slack/interactions/preferences.ts';
import { createBackground } from '../../../../src/kit/background.ts';
import type { Log } from '../../../../src/kit.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../keyed.ts';

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const workspace = { tenant: 'T1', botUser: 'U0BOT', token: 'xoxb' };

function rigged() {
  const clock = createVirtualClock();
  const ended = new AbortController();
  const published: string[] = [];
  const parts = {
    host: { agents: () => [], running: async () => [] },
    settings: { name: 'Parley', command: '/ask', prompts: [] },
    calls: {
      call: async (_workspace: object, _method: string, args: { user_id?: string }) => {
        published.push(args.user_id ?? '');
        return { kind: 'done', body: {} };
      },
    },
    people: { find: async () => ({ id: 'U1', name: 'mara', standing: 'member' }) },
    preferences: createPreferences(memoryKeyed()),
    background: createBackground(quiet),
    signal: ended.signal,
  } as unknown as InteractionDeps;
  const state = memoryKeyed();
  const workspaces = { ofTenant: async (tenant: string) => ({ ...workspace, tenant }) };
  const openHomes = () => createOpenHomes(workspaces, state, clock);
  return { clock, published, parts, openHomes, homes: openHomes(), ended };
}

it('updates an open home at most once in three seconds', async () => {
  const { clock, published, parts, homes } = rigged();
  await homes.opened(workspace, 'U1');
  for (let change = 0; change < 50; change++) homes.changed('T1', 'U1', parts);
  homes.changed('T1', 'U2', parts);
  homes.changed('T2', 'U1', parts);
  await clock.pass(2_999);
  expect(published).toEqual([]);
  await clock.pass(1);
  expect(published).toEqual(['U1']);
  homes.changed('T1', 'U1', parts);
  await clock.pass(3_000);
  expect(published).toEqual(['U1', 'U1']);
});

it('updates a home that was opened at another process', async () => {
  const { clock, published, parts, openHomes } = rigged();
  await openHomes().opened(workspace, 'U1');
  openHomes().changed('T1', 'U1', parts);
  await clock.pass(3_000);
  expect(published).toEqual(['U1']);
});

it('stops updating a home that was opened long ago, and all homes when the adapter stops', async () => {
  const { clock, published, parts, homes, ended } = rigged();
  await homes.opened(workspace, 'U1');
  await clock.pass(10 * 60_000 + 1);
  homes.changed('T1', 'U1', parts);
  await clock.pass(5_000);
  await homes.opened(workspace, 'U1');
  homes.changed('T1', 'U1', parts);
  await clock.pass(1_000);
  ended.abort(new Error('stopped'));
  await clock.pass(5_000);
  expect(published).toEqual([]);
  expect(clock.waiting).toBe(0);
});
