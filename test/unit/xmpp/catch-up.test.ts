/** The order in which archives are read. Those that do not answer are read again, also in the next session. */

import { expect, test } from 'vitest';
import type { Archive, ArchiveQuery } from '../../../channels/xmpp/inbound/archive.ts';
import { CatchUp } from '../../../channels/xmpp/inbound/catch-up.ts';
import { NS } from '../../../channels/xmpp/protocol.ts';
import type { Room } from '../../../channels/xmpp/rooms.ts';
import { LostSession, StanzaError } from '../../../channels/xmpp/stream/connection.ts';
import { element } from '../../../channels/xmpp/stream/xml.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const JID = 'parley@example.org';
const MINUTE_MS = 60_000;
const MESSAGE = { id: '1', message: element('message', 'jabber:client'), stamp: '2026-03-01T12:00:00Z' };

const ROOMS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@rooms.example.org`);
const roomAt = (address: string) =>
  ({ address, features: new Set([NS.archive]), caughtUp: Promise.resolve(true) }) as Partial<Room> as Room;

/** Returns a catch-up whose archive fails with each of the errors, and what it read. `answers`: when a room answers. */
async function reading(
  errors: readonly Error[],
  answers: (room: string | undefined) => Promise<unknown> = async () => undefined,
  heardMs = MINUTE_MS,
) {
  const left = [...errors];
  const queries: ArchiveQuery[] = [];
  const taken: string[] = [];
  const read: Archive['read'] = async (query) => {
    queries.push(query);
    const error = left.shift();
    if (error !== undefined) throw error;
    await answers(query.room);
    return [MESSAGE];
  };
  const host = xmppHost({ clock: createVirtualClock() });
  const { log, clock } = host;
  await host.state.set(`heard ${JID}`, clock.now() - heardMs, 60 * MINUTE_MS, 'nobody');
  const catchUp = new CatchUp({
    ...{ host, jid: JID, rooms: ROOMS, archive: { read } },
    background: createBackground(log),
    signal: new AbortController().signal,
    receiver: { archived: async ({ id }) => void taken.push(id) },
  });
  return { catchUp, queries, taken, host };
}

test('an archive that does not answer is read again', async () => {
  const { catchUp, taken, queries } = await reading([new Error('late'), new Error('late')]);
  await catchUp.direct();
  expect(taken).toEqual(['1']);
  expect(queries).toHaveLength(3);
});

test('an archive that refuses is not read again, and one that fails otherwise is read by the next session', async () => {
  for (const [error, queried] of [
    [new StanzaError('item-not-found'), 1],
    [new LostSession('cut'), 2],
  ] as const) {
    const { catchUp, queries } = await reading([error]);
    const room = roomAt(ROOMS[0] ?? '');
    await catchUp.room(room).catch(() => undefined);
    catchUp.heard();
    catchUp.begin();
    // Only what was not read before is read from the earlier time.
    await catchUp.room(room);
    expect(queries.filter(({ since }) => since === queries[0]?.since)).toHaveLength(queried);
  }
});

test.each([
  [1, 1.5],
  [59, 59.5],
  [120, 60],
])('messages missed for %i minutes are read from %d minutes ago', async (heard, since) => {
  const { catchUp, queries, host } = await reading([], undefined, heard * MINUTE_MS);
  await catchUp.direct();
  expect(host.clock.now() - (queries[0]?.since ?? 0)).toBe(since * MINUTE_MS);
});

test('what a session could not read, the next one reads', async () => {
  const { catchUp, taken, queries } = await reading([new LostSession('cut')]);
  catchUp.begin();
  await expect(catchUp.direct()).rejects.toThrow(LostSession);
  catchUp.heard();
  catchUp.begin();
  await catchUp.direct();
  expect(taken).toEqual(['1']);
  expect(queries[1]?.since).toBe(queries[0]?.since);
});

test('a process that has not read all rooms leaves the rest to the next one', async () => {
  const { catchUp, queries, host } = await reading([]);
  const before = await host.state.get(`heard ${JID}`);
  catchUp.begin();
  await catchUp.direct();
  catchUp.heard();
  await catchUp.save();
  expect(queries).toHaveLength(1);
  expect(await host.state.get(`heard ${JID}`)).toBe(before);
});

test('an archive that does not answer does not delay the others', async () => {
  const [slow = '', ...others] = ROOMS;
  const never = new Promise(() => undefined);
  const { catchUp, taken } = await reading([], async (room) => room === slow && never);
  void catchUp.room(roomAt(slow));
  await Promise.all(others.map((each) => catchUp.room(roomAt(each))));
  expect(taken).toHaveLength(others.length);
});

test('archives for which a new message waits are read first, and three at the same time', async () => {
  const answers = new Map(ROOMS.map((each) => [each, Promise.withResolvers<void>()]));
  const { catchUp, queries } = await reading([], async (room = '') => answers.get(room)?.promise);
  const reads = ROOMS.map((each) => catchUp.room(roomAt(each)));
  await new Promise(setImmediate);
  expect(queries.map(({ room }) => room)).toEqual(ROOMS.slice(0, 3));
  const last = roomAt(ROOMS.at(-1) ?? '');
  expect(catchUp.done(last)).toBe(last.caughtUp);
  answers.get(ROOMS[0] ?? '')?.resolve();
  await reads[0];
  expect(queries.map(({ room }) => room)).toEqual([...ROOMS.slice(0, 3), last.address]);
  for (const { resolve } of answers.values()) resolve();
  await Promise.all(reads);
  expect(queries).toHaveLength(ROOMS.length);
});
