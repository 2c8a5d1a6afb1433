/** The standing of a person whose address a room hides, by affiliation. */

import { expect, test } from 'vitest';
import { personOf } from '../../../channels/xmpp/inbound/people.ts';
import { Rooms } from '../../../channels/xmpp/rooms.ts';
import type { Connection } from '../../../channels/xmpp/stream/connection.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const ROOM = 'field@rooms.example.org';
const { clock, log } = xmppHost();
const signal = new AbortController().signal;
const roomAt = (address: string) =>
  new Rooms({
    ...{ clock, log, signal, addresses: [address], nick: 'Parley', joined: async () => undefined },
    connection: {} as Connection,
  }).find(address);

test.each([
  ...(['owner', 'admin', 'member'] as const).map((each) => [each, 'member'] as const),
  ...(['none', 'outcast', 'Member', ''] as const).map((each) => [each, 'external'] as const),
])('%s of a room of the organization is %s', (affiliation, standing) => {
  const occupant = { nick: 'ann', occupantId: 'o1', affiliation };
  const said = { from: `${ROOM}/ann`, room: roomAt(ROOM), occupantId: 'o1', occupant };
  const of = (members: readonly string[]) => personOf(said, { members, emails: false });
  expect(of(['example.org'])).toMatchObject({ id: `${ROOM}#o1`, standing });
  expect(of(['ample.org'])).toMatchObject({ standing: 'external' });
});
