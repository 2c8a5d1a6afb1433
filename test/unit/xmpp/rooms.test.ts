/** A room whose features cannot be read may have an archive, so its missed messages stay to be read. */

import { expect, test } from 'vitest';
import { NS } from '../../../channels/xmpp/protocol.ts';
import { Rooms } from '../../../channels/xmpp/rooms.ts';
import { type Connection, LostSession, StanzaError } from '../../../channels/xmpp/stream/connection.ts';
import { element } from '../../../channels/xmpp/stream/xml.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const ROOM = 'field@rooms.example.org';

/** Joins a room, whose features are asked for with `request`. `joins`: how often its archive was to be read. */
function joining(request: Connection['request']) {
  const { clock, log } = xmppHost();
  let joins = 0;
  const sent: unknown[] = [];
  const send = (stanza: unknown) => void sent.push(stanza);
  const connection = { request, isOnline: () => true, send } as Partial<Connection>;
  const rooms = new Rooms({
    ...{ clock, log, addresses: [ROOM], nick: 'Parley', signal: new AbortController().signal },
    connection: connection as Connection,
    joined: async () => {
      joins += 1;
    },
  });
  const presence = (type: string | undefined, ...codes: readonly string[]) => {
    const status = codes.map((code) => element('status', NS.roomUser, { code }));
    const user = element('x', NS.roomUser, {}, ...status);
    rooms.presence(element('presence', NS.client, { from: `${ROOM}/Parley`, type }, user));
  };
  const join = async () => {
    rooms.joinAll();
    presence(undefined, '110');
    return rooms.find(ROOM)?.caughtUp;
  };
  return {
    join,
    presence,
    joins: () => joins,
    room: () => rooms.find(ROOM),
    requests: () => sent.length,
    state: () => rooms.find(ROOM)?.state,
  };
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

/** Status codes with which a room says why it has removed an occupant (XEP-0045, section 15.6.2); 301 is a ban. */
test.each([
  '301',
  '307',
  '321',
  '322',
  '332',
  '333',
])('a room that removes the account with %s is not joined at once', async (code) => {
  const { join, presence, requests, state } = joining(() => Promise.resolve(element('iq', NS.client, {})));
  await join();
  presence('unavailable', '110', code);
  expect(state()).toBe(code === '301' ? 'closed' : 'outside');
  expect(requests()).toBe(1);
});

test('a room that removes the account without a reason is joined at once, but not twice in a row', async () => {
  const { join, presence, requests, state } = joining(() => Promise.resolve(element('iq', NS.client, {})));
  await join();
  presence('unavailable', '110');
  expect(requests()).toBe(2);
  presence(undefined, '110');
  presence('unavailable', '110');
  expect(state()).toBe('outside');
  expect(requests()).toBe(2);
  // Each session may see this once.
  await join();
  presence('unavailable', '110');
  expect(requests()).toBe(4);
});

test('the occupants of an earlier session are not those of the next one', async () => {
  const { join, room } = joining(() => Promise.resolve(element('iq', NS.client, {})));
  await join();
  expect([...(room()?.occupants.keys() ?? [])]).toEqual(['Parley']);
  room()?.occupants.set('ann', { nick: 'ann', jid: 'ann@example.org', affiliation: 'member' });
  await join();
  expect([...(room()?.occupants.keys() ?? [])]).toEqual(['Parley']);
});
