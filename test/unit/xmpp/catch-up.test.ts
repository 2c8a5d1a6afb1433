/** Archives that do not answer are read again, in the same session and in the next one. */

import { expect, test } from 'vitest';
import type { Archive, ArchiveQuery } from '../../../adapters/xmpp/inbound/archive.ts';
import { createCatchUp } from '../../../adapters/xmpp/inbound/catch-up.ts';
import { LostSession } from '../../../adapters/xmpp/stream/connection.ts';
import { element } from '../../../adapters/xmpp/stream/xml.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const JID = 'parley@example.org';
const MINUTE_MS = 60_000;
const MESSAGE = { id: '1', message: element('message', 'jabber:client'), stamp: '2026-03-01T12:00:00Z' };

/** Returns a catch-up whose archive fails with each of the errors, and what it read. */
async function reading(errors: readonly Error[]) {
  const left = [...errors];
  const queries: ArchiveQuery[] = [];
  const taken: string[] = [];
  const read: Archive['read'] = async (query) => {
    queries.push(query);
    const error = left.shift();
    if (error !== undefined) throw error;
    return [MESSAGE];
  };
  const host = xmppHost();
  const { log, clock } = host;
  await host.state.set(`heard ${JID}`, clock.now() - MINUTE_MS, 60 * MINUTE_MS);
  const catchUp = createCatchUp({
    ...{ host, jid: JID, rooms: ['field@rooms.example.org'], archive: { read } },
    background: createBackground(log),
    signal: new AbortController().signal,
    receiver: { archived: async (_, { id }) => void taken.push(id) },
  });
  return { catchUp, queries, taken, host };
}

test('an archive that does not answer is read again', async () => {
  const { catchUp, taken, queries } = await reading([new Error('late'), new Error('late')]);
  await catchUp.direct();
  expect(taken).toEqual(['1']);
  expect(queries).toHaveLength(3);
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
