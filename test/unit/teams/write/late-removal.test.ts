/** A process is killed during a stream and the question is deleted. No other process knows the text of the stream. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { list } from '../../../../src/kit/json.ts';
import type { Screen } from '../../../../src/kit/ladder.ts';
import type { ReplyDocument, Turn } from '../../../../src/kit.ts';
import type { Conversation } from '../../../fakes/teams/index.ts';
import { documentOf, turnOf } from '../interactions/rig.ts';
import { type Rig, startRig } from '../rig.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Maximum number of calls of one reply. */
const MANY = 20;
const WITHIN_MS = 30_000;

/** Milliseconds by which the clock of the bridge and of the fake Teams is ahead of the machine's. */
let ahead = 0;
const clock = { ...systemClock, now: () => systemClock.now() + ahead };
let rig: Rig;
let room: Conversation;
let turn: Turn;

beforeEach(async () => {
  ahead = 0;
  rig = await startRig({ clock });
  const asker = rig.fake.tenant().person();
  room = asker.dm();
  const asked = asker.says(room, 'Which colour is it?');
  await asked.delivery?.done;
  const [taken] = rig.taken;
  if (taken?.kind !== 'ask') throw new Error('the question was not taken in');
  turn = turnOf(taken.message.thread, asked.message.id, asker);
});
afterEach(() => rig.close());

/** Shows the document with a new writer, which continues from the screen. Returns the screen. */
async function show(document: Partial<ReplyDocument>, before?: Screen): Promise<Screen> {
  const writer = rig.adapter.writer({ ...turn, attempt: before === undefined ? 1 : 2 });
  let screen = before === undefined ? writer.blank() : writer.resume(before);
  for (let made = 0; made < MANY; made += 1) {
    const [move] = writer.next(screen, documentOf({ sources: [], ...document }), clock.now());
    if (move === undefined) return screen;
    // Teams accepts one call of a stream per second.
    ahead += 1.1 * SECOND_MS;
    const outcome = await writer.perform(move, new AbortController().signal);
    screen = JSON.parse(JSON.stringify(writer.after(screen, move, outcome, clock.now())));
  }
  throw new Error('the reply never comes to rest');
}

const texts = () =>
  rig.fake
    .messages(room)
    .filter(({ person, deletedAt }) => person === undefined && deletedAt === undefined)
    .map(({ shown }) => shown.text);
const deletions = () => rig.fake.log.calls.filter(({ method }) => method === 'delete');
const entries = () => list(rig.state.get('waiting notes'));
const eventually = (context: () => unknown) => expect.poll(context, { timeout: WITHIN_MS });

/** Begins a stream, replaces the process, and deletes the question. Teams refuses to delete the open stream. */
async function interrupt(): Promise<void> {
  const screen = await show({ state: 'writing', text: 'It is blue.' });
  await rig.restart();
  expect((await show({ state: 'withdrawn', text: '' }, screen)).finished).toBe(true);
  expect(texts()).toEqual(['It is blue.']);
  expect(deletions()).toHaveLength(1);
  expect(entries()).toHaveLength(1);
}

it('deletes the stream once Teams has ended it, also after another restart', async () => {
  await interrupt();
  const refusedAt = clock.now();
  await rig.restart();
  ahead += 2 * MINUTE_MS;
  await eventually(texts).toEqual([]);
  await eventually(entries).toEqual([]);
  const late = deletions().slice(1);
  expect(late).toHaveLength(1);
  expect(late[0]?.at).toBeGreaterThan(refusedAt + 1.9 * MINUTE_MS);
});

it('tries again while Teams refuses for a moment', async () => {
  await interrupt();
  rig.fake.plant({ kind: 'status', status: 503, method: 'delete', count: 4 });
  ahead += 2 * MINUTE_MS;
  await eventually(texts).toEqual([]);
  await eventually(entries).toEqual([]);
});

it('gives up after an hour if Teams goes on refusing', async () => {
  await interrupt();
  const code = 'BadRequest';
  rig.fake.plant({ kind: 'status', status: 400, code, message: 'No', method: 'delete', count: 100 });
  ahead += 2 * MINUTE_MS;
  await eventually(deletions).toHaveLength(2);
  expect(entries()).toHaveLength(1);
  ahead += 60 * MINUTE_MS;
  await eventually(entries).toEqual([]);
  expect(deletions().length).toBeLessThanOrEqual(3);
});
