/** A room whose features cannot be read may have an archive, so its missed messages stay to be read. */

import { expect, test } from 'vitest';
import { NS } from '../../../adapters/xmpp/protocol.ts';
import { createRooms } from '../../../adapters/xmpp/rooms.ts';
import { type Connection, LostSession, StanzaError } from '../../../adapters/xmpp/stream/connection.ts';
import { element } from '../../../adapters/xmpp/stream/xml.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const ROOM = 'field@rooms.example.org';

/** Joins a room, whose features are asked for with `request`. `joins`: how often its archive was to be read. */
function joining(request: Connection['request']) {
  const { clock, log } = xmppHost();
  let joins = 0;
  const connection = { request, isOnline: () => true, send: () => undefined } as Partial<Connection>;
  const rooms = createRooms({
    ...{ clock, log, addresses: [ROOM], nick: 'Parley', signal: new AbortController().signal },
    connection: () => connection as Connection,
    joined: async () => {
      joins += 1;
    },
  });
  const join = async () => {
    rooms.joinAll();
    const user = element('x', NS.roomUser, {}, element('status', NS.roomUser, { code: '110' }));
    rooms.presence(element('presence', NS.client, { from: `${ROOM}/Parley` }, user));
    return rooms.find(ROOM)?.caughtUp;
  };
  return { join, joins: () => joins };
}

test('the archive is left to the next session if the connection breaks before the features are known', async () => {
  const { join, joins } = joining(() => Promise.reject(new LostSession()));
  expect(await join()).toBe(false);
  expect(joins()).toBe(0);
});

test('a room that refuses to list its features is caught up', async () => {
  const { join, joins } = joining(() => Promise.reject(new StanzaError('service-unavailable')));
  expect(await join()).toBe(true);
  expect(joins()).toBe(1);
});

test('a room whose features were known before is read again', async () => {
  const info = element('query', NS.discoInfo, {}, element('feature', NS.discoInfo, { var: NS.archive }));
  const answers = [Promise.resolve(element('iq', NS.client, {}, info)), Promise.reject(new Error('late'))];
  for (const each of answers) each.catch(() => undefined);
  const { join, joins } = joining(() => answers.shift() ?? Promise.reject(new Error('asked again')));
  await join();
  expect(await join()).toBe(true);
  expect(joins()).toBe(2);
});
