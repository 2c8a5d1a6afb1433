/** One message has one author and one id, whether it arrives live or from the archive, and whoever is present then. */

import { expect, test } from 'vitest';
import type { Commands } from '../../../channels/xmpp/inbound/commands.ts';
import { createPrograms } from '../../../channels/xmpp/inbound/programs.ts';
import { createReceiver } from '../../../channels/xmpp/inbound/receiver.ts';
import { createSent } from '../../../channels/xmpp/inbound/sent.ts';
import { NS } from '../../../channels/xmpp/protocol.ts';
import { Rooms } from '../../../channels/xmpp/rooms.ts';
import type { Connection } from '../../../channels/xmpp/stream/connection.ts';
import { type Child, element } from '../../../channels/xmpp/stream/xml.ts';
import { createEngagement } from '../../../src/core/stores/engagement.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { createOnce } from '../../../src/kit/once.ts';
import type { AdapterHost, Intake, Message } from '../../../src/kit.ts';
import { xmppHost } from '../../e2e/house/xmpp-host.ts';

const JID = 'parley@example.org';
const ANN = 'ann@example.org';
const BEN = 'ben@elsewhere.example';
const ROOM = 'field@rooms.example.org';
const OCCUPANT = 'occupant of ann';
const HIDDEN = `${ROOM}#${OCCUPANT}`;
const STAMP = '2026-03-01T12:00:18.000Z';
const QUESTION = 'Parley: How long is a visitor pass valid for guests of the house?';

const occupantIdOf = (id: string | undefined) =>
  id === undefined ? undefined : element('occupant-id', NS.occupant, { id });

interface Presence {
  readonly nick?: string;
  readonly jid?: string | undefined;
  readonly occupantId?: string | undefined;
  readonly type?: string;
  readonly affiliation?: string;
  readonly status?: string;
}

const presenceOf = ({ nick = 'ann', jid, occupantId, type, affiliation = 'none', status }: Presence) =>
  element(
    'presence',
    NS.client,
    { from: `${ROOM}/${nick}`, type },
    element(
      'x',
      NS.roomUser,
      {},
      element('item', NS.roomUser, { affiliation, jid }),
      status === undefined ? undefined : element('status', NS.roomUser, { code: status }),
    ),
    occupantIdOf(occupantId),
  );

const ann: Presence = { jid: `${ANN}/phone`, occupantId: OCCUPANT };
const left: Presence = { ...ann, type: 'unavailable' };

interface Written {
  readonly nick?: string;
  readonly id?: string;
  readonly stanzaId?: string;
  readonly occupantId?: string | undefined;
  readonly text?: string;
  readonly more?: Child;
}

const messageOf = ({
  nick = 'ann',
  id = 'first',
  stanzaId = 'stanza 1',
  text = QUESTION,
  more,
  ...author
}: Written) =>
  element(
    'message',
    NS.client,
    { from: `${ROOM}/${nick}`, type: 'groupchat', id },
    element('body', NS.client, {}, text),
    occupantIdOf('occupantId' in author ? author.occupantId : OCCUPANT),
    element('stanza-id', NS.stanzaId, { by: ROOM, id: stanzaId }),
    more,
  );

/** Starts a bridge in the room. `state` is the store, which a process takes over from the one before. */
async function start(
  state: AdapterHost['state'],
  { features = [NS.occupant], caughtUp = async () => {}, joins = true } = {},
) {
  const taken: Intake[] = [];
  const refused: Message[] = [];
  const host = xmppHost({
    state,
    intake: async (event) => {
      taken.push(event);
      return { kind: 'nothing' };
    },
  });
  const { clock, log } = host;
  const { signal } = new AbortController();
  const info = element(
    'query',
    NS.discoInfo,
    {},
    ...features.map((each) => element('feature', NS.discoInfo, { var: each })),
  );
  const connection: Pick<Connection, 'isOnline' | 'send' | 'sendIfOnline' | 'request'> = {
    isOnline: () => true,
    send: () => undefined,
    sendIfOnline: () => undefined,
    request: async () => element('iq', NS.client, {}, info),
  };
  const background = createBackground(log);
  const rooms = new Rooms({
    ...{ connection, clock, log, signal, addresses: [ROOM], nick: 'Parley' },
    joined: caughtUp,
  });
  const receiver = createReceiver({
    ...{ connection, signal, commands: {} as Commands },
    caughtUp: async (room) => (await room?.caughtUp) ?? true,
    deliver: { take: () => false },
    archive: { take: () => false },
    intake: {
      ...{ host, rooms, tenant: JID, members: ['example.org'], emails: false },
      sent: createSent(host.state, background, JID),
      engagement: createEngagement(state),
      once: createOnce({ host, background, signal }),
      programs: createPrograms(connection, clock, signal),
      refuse: async (message) => void refused.push(message),
    },
  });
  const see = (presence: Presence) => rooms.presence(presenceOf(presence));
  const join = async () => {
    see({ nick: 'Parley', status: '110' });
    // The features of the room are read now.
    await new Promise(setImmediate);
  };
  rooms.joinAll();
  if (joins) await join();
  return {
    ...{ receiver, rooms, see, join, taken, refused },
    live: (written: Written = {}) => receiver.handle(messageOf(written)),
    archived: (written: Written = {}) =>
      receiver.archived(
        { id: written.stanzaId ?? 'stanza 1', message: messageOf(written), stamp: STAMP },
        ROOM,
      ),
    asked: () => taken.flatMap((each) => (each.kind === 'ask' ? [each.message] : [])),
  };
}

const blank = () => xmppHost().state;

test('a message that waits for the missed ones keeps its author, who leaves meanwhile', async () => {
  const done = Promise.withResolvers<void>();
  const at = await start(blank(), { features: [], caughtUp: () => done.promise });
  at.see(ann);
  const handled = at.live({ occupantId: undefined });
  at.see(left);
  done.resolve();
  await handled;
  expect(at.asked().map(({ sender }) => sender)).toMatchObject([{ id: ANN, standing: 'member' }]);
});

test('messages of different people that wait for the missed ones stay in order', async () => {
  const done = Promise.withResolvers<void>();
  const state = blank();
  const slow: AdapterHost['state'] = {
    ...state,
    async get(key) {
      if (key.includes('first')) await new Promise(setImmediate);
      return state.get(key);
    },
  };
  const at = await start(slow, { caughtUp: () => done.promise });
  at.see(ann);
  at.see({ nick: 'ben', jid: `${BEN}/phone`, occupantId: 'occupant of ben' });
  const handled = [
    at.live(),
    at.live({ nick: 'ben', id: 'second', stanzaId: 'stanza 2', occupantId: 'occupant of ben' }),
  ];
  done.resolve();
  await Promise.all(handled);
  expect(at.asked().map(({ id }) => id)).toEqual([`${ANN}/first`, `${BEN}/second`]);
});

test('a message that the server repeats before the room is joined is left to the archive', async () => {
  const at = await start(blank(), { features: [], joins: false });
  await at.live({ occupantId: undefined });
  at.see({ ...ann, occupantId: undefined });
  await at.join();
  const item = element('item', NS.roomUser, { jid: `${ANN}/phone` });
  await at.archived({ occupantId: undefined, more: element('x', NS.roomUser, {}, item) });
  expect(at.refused).toEqual([]);
  expect(at.asked().map(({ sender }) => sender.id)).toEqual([ANN]);
});

test('a missed message of a person who has left is asked by this person', async () => {
  const at = await start(blank());
  at.see(ann);
  at.see(left);
  await at.archived();
  expect(at.asked().map(({ sender }) => sender)).toMatchObject([{ id: ANN, standing: 'member' }]);
});

test('a person who was banned is no member afterwards', async () => {
  const at = await start(blank());
  at.see({ occupantId: OCCUPANT, affiliation: 'member' });
  await at.archived({ id: 'before', stanzaId: 'before' });
  at.see({ occupantId: OCCUPANT, affiliation: 'outcast', type: 'unavailable', status: '301' });
  await at.archived({ id: 'after', stanzaId: 'after' });
  expect(at.asked().map(({ sender }) => sender)).toMatchObject([
    { id: HIDDEN, standing: 'member' },
    { id: HIDDEN, standing: 'external' },
  ]);
});

test('a missed message of an unknown occupant is asked by an external person', async () => {
  const at = await start(blank());
  await at.archived();
  expect(at.asked().map(({ sender }) => sender)).toMatchObject([{ id: HIDDEN, standing: 'external' }]);
});

test('the own messages of the bridge are no questions, live and in the archive', async () => {
  const at = await start(blank());
  await at.live({ nick: 'Parley' });
  await at.archived({ nick: 'Parley' });
  expect([at.taken, at.refused]).toEqual([[], []]);
});

test('a missed message without an occupant id is not asked by whoever has the nickname now', async () => {
  const at = await start(blank(), { features: [] });
  at.see({ ...ann, occupantId: undefined });
  await at.archived({ occupantId: undefined });
  expect(at.asked()).toEqual([]);
  expect(at.refused.map(({ sender }) => sender.id)).toEqual([`${ROOM}/ann`]);
});

test.each([
  ['the archive', { stanzaId: 'stanza 1' }],
  ['a client that sent it twice', { stanzaId: 'stanza 2' }],
])('after a restart, a copy from %s has the id of the live one, although its author is unknown', async (_, copy) => {
  const state = blank();
  const before = await start(state);
  before.see(ann);
  await before.live();
  const after = await start(state);
  await after.archived(copy);
  expect(after.asked()).toMatchObject(before.asked().map(({ id, sender }) => ({ id, sender })));
  expect(after.refused).toEqual([]);
});

test('a copy from the archive without an occupant id has the id of the live one', async () => {
  const state = blank();
  const before = await start(state, { features: [] });
  before.see({ ...ann, occupantId: undefined });
  await before.live({ occupantId: undefined });
  const after = await start(state, { features: [] });
  await after.archived({ occupantId: undefined });
  expect(after.asked().map(({ id }) => id)).toEqual([`${ANN}/first`]);
  expect(after.refused).toEqual([]);
});

test('a question that an external person asked is not asked again when its author comes back', async () => {
  const at = await start(blank());
  await at.archived();
  at.see(ann);
  await at.archived();
  await at.live({ stanzaId: 'stanza 2' });
  expect(new Set(at.asked().map(({ id }) => id))).toEqual(new Set([`${HIDDEN}/first`]));
});

test('another person with the same nickname and id asks a question of their own', async () => {
  const state = blank();
  const before = await start(state);
  before.see(ann);
  await before.live();
  const after = await start(state);
  after.see({ jid: `${BEN}/phone`, occupantId: 'occupant of ben' });
  await after.archived({ stanzaId: 'stanza 2', occupantId: 'occupant of ben' });
  expect(after.asked().map(({ id }) => id)).toEqual([`${BEN}/first`]);
});

test('after a restart, missed corrections and retractions concern the question of the same person', async () => {
  const state = blank();
  const before = await start(state);
  before.see(ann);
  await before.live();
  const after = await start(state);
  const replace = element('replace', NS.correct, { id: 'first' });
  await after.archived({ id: 'edit', stanzaId: 'stanza 2', text: `${QUESTION} Please.`, more: replace });
  const retract = element('retract', NS.retract, { id: 'stanza 1' });
  await after.archived({ id: 'gone', stanzaId: 'stanza 3', more: retract });
  await after.archived({ id: 'gone', stanzaId: 'stanza 4', more: retract, occupantId: 'occupant of ben' });
  expect(after.taken).toMatchObject([
    { kind: 'edit', message: { id: `${ANN}/first`, sender: { id: ANN } } },
    { kind: 'delete', message: `${ANN}/first`, by: { id: ANN } },
  ]);
});

test('a forgotten person is unknown', async () => {
  const at = await start(blank());
  at.see(ann);
  at.see(left);
  at.rooms.forget(ANN);
  await at.archived();
  expect(at.asked().map(({ sender }) => sender.id)).toEqual([HIDDEN]);
});

test('a room remembers a bounded number of occupants', async () => {
  const at = await start(blank());
  for (let nth = 0; nth < 1_100; nth += 1) at.see({ nick: `n${nth}`, occupantId: `o${nth}` });
  expect(at.rooms.find(ROOM)?.remembered.size).toBe(1_000);
});
