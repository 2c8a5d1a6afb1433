import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { privateThread } from '../../../../adapters/slack/private-places.ts';
import type { Turn } from '../../../../src/kit.ts';
import { newResponseUrl } from '../../../fakes/slack/interact/triggers.ts';
import { plausibleText } from '../../reply/markdown/long-text.ts';
import { type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
const urls = new Map<string, string>();
const threads = new Map<string, string>();
beforeAll(async () => {
  rig = await openRig({
    places: ({ key }) => {
      const responseUrl = urls.get(key);
      const threadTs = threads.get(key);
      return {
        user: asker(),
        ...(responseUrl !== undefined && { responseUrl }),
        ...(threadTs !== undefined && { threadTs }),
      };
    },
  });
});
afterEach(() => rig.fake.clearFaults());
afterAll(() => rig.close());

const asker = (): string => [...rig.fake.workspace().state.people.values()].find(({ bot }) => !bot)?.id ?? '';

/** Returns a turn for a question that was asked with the slash command, with or without a response URL. */
function privately(withUrl: boolean): Turn {
  const turn = rig.ask();
  const { tenant, room } = turn.message.thread;
  const thread = privateThread(tenant, room, asker(), turn.id);
  if (withUrl)
    urls.set(
      thread.key,
      newResponseUrl(rig.fake.world, rig.fake.url, { team: tenant, channel: room, user: asker() }),
    );
  return { ...turn, message: { ...turn.message, thread } };
}

const first = ([move]: readonly Parameters<Play['writer']['perform']>[0][]) => move;
const ephemeral = (turn: Turn) =>
  rig.fake.messages(turn.message.thread.room).filter(({ onlyFor }) => onlyFor === asker());

it('sends a private answer once it is complete, to the response URL of its act', async () => {
  const turn = privately(true);
  const play = playIn(rig, first, turn);
  await play.show({});
  await play.show({ state: 'writing', text: 'Only' });
  expect(play.moves).toEqual([]);
  await play.show({ state: 'done', text: 'Only for you.' });
  expect(play.families()).toEqual(['response_url']);
  const [message] = ephemeral(turn).slice(-1);
  expect(message?.blocks[0]).toEqual({ type: 'markdown', text: 'Only for you.' });
  expect(JSON.stringify(message?.blocks)).toMatch(/reply:share/);
  expect(JSON.stringify(message?.blocks)).not.toMatch(/reply:mine/);
});

it('posts into the thread of the pressed button, not into the channel', async () => {
  const turn = privately(true);
  const root = rig.ask().message.thread.key;
  threads.set(turn.message.thread.key, root);
  const play = playIn(rig, first, turn);
  await play.show({ state: 'done', text: 'Beside the answer.' });
  expect(play.families()).toEqual(['response_url']);
  expect(ephemeral(turn).at(-1)).toMatchObject({ threadTs: root, onlyFor: asker() });
});

it.each([
  ['has none', () => privately(false), ['response_url', 'postEphemeral']],
  ['is over', () => privately(true), ['response_url', 'postEphemeral']],
])('posts an ephemeral message in the thread if the response URL %s', async (what, ask, families) => {
  const turn = ask();
  if (what === 'is over')
    urls.set(turn.message.thread.key, `${rig.fake.url}/response/${turn.message.thread.tenant}/R0`);
  const play = playIn(rig, first, turn);
  await play.show({ state: 'done', text: `Said ${what}.` });
  expect(play.families()).toEqual(families);
  expect(ephemeral(turn).at(-1)?.blocks[0]).toMatchObject({ text: `Said ${what}.` });
});

it('continues in a direct message when the response URL is used up', async () => {
  const turn = privately(true);
  const play = playIn(rig, first, turn);
  await play.show({ state: 'done', text: plausibleText(70_000) });
  expect(play.families()).toEqual([...Array(5).fill('response_url'), 'postMessage', 'postMessage']);
  expect(JSON.stringify(ephemeral(turn).at(-1)?.blocks)).toContain('continues in a direct message');
  expect(play.screen.finished).toBe(true);
});

it('sends no answer to a withdrawn question', async () => {
  const play = playIn(rig, first, privately(true));
  play.change({ state: 'withdrawn' });
  expect(play.next()).toEqual([]);
});
