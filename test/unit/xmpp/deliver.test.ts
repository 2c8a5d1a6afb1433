/** Sending a message: the meaning of each refusal, and what is left of a message that ended in another way. */

import { expect, test } from 'vitest';
import { createDeliver } from '../../../channels/xmpp/deliver.ts';
import { NS } from '../../../channels/xmpp/protocol.ts';
import type { Room } from '../../../channels/xmpp/rooms.ts';
import { type Connection, LostSession } from '../../../channels/xmpp/stream/connection.ts';
import { type Element, element } from '../../../channels/xmpp/stream/xml.ts';
import type { ThreadRef } from '../../../src/kit.ts';
import { countedSignal } from '../../fakes/counted-signal.ts';
import { quiet } from '../../fakes/quiet.ts';

const ROOM = 'field@rooms.example.org';
const ANN = 'ann@example.org';
const inRoom: ThreadRef = {
  channel: 'xmpp',
  tenant: 'parley@example.org',
  room: ROOM,
  key: 'k',
  kind: 'room',
};
const direct: ThreadRef = { ...inRoom, room: ANN, kind: 'direct' };

/** Sends a message whose server has not answered yet. */
function sending(thread: ThreadRef, { handled, lost }: { handled?: Promise<void>; lost?: true } = {}) {
  const sent: Element[] = [];
  const connection: Partial<Connection> = {
    isOnline: () => true,
    send(stanza) {
      if (lost) throw new LostSession('lost');
      sent.push(stanza);
    },
    handled: () => handled ?? new Promise(() => undefined),
  };
  const rejoined: unknown[] = [];
  const room = { address: ROOM, nick: 'Parley', state: 'joined' } as Room;
  const rooms = {
    find: (address: string) => (address === ROOM ? room : undefined),
    rejoin: (each: Room) => void rejoined.push(each),
  };
  const deliver = createDeliver(connection as Connection, rooms, quiet);
  const { signal, listeners, abort } = countedSignal();
  const message = (id: string, hint?: string) =>
    element('message', NS.client, { id }, hint === undefined ? undefined : element(hint, NS.hints));
  const answer = (attrs: Record<string, string>, ...content: Element[]) =>
    deliver.take(element('message', NS.client, attrs, ...content));
  const refuse = (id: string, condition: string, from = thread.room) =>
    answer(
      { id, from, type: 'error' },
      element('error', NS.client, { type: 'wait' }, element(condition, NS.stanzas)),
    );
  const send = (id: string, hint?: string) => deliver.send(message(id, hint), thread, signal);
  return { send, answer, refuse, rejoined, listeners, abort, sent };
}

const busy = { kind: 'refused', why: 'busy', retryAfterMs: 1_000 };
const rate = { kind: 'refused', why: 'rate', retryAfterMs: 2_000 };
/** All conditions of RFC 6120, section 8.3.3, and those after which the message may be sent again. */
const CONDITIONS =
  `bad-request conflict feature-not-implemented forbidden gone internal-server-error item-not-found
  jid-malformed not-acceptable not-allowed not-authorized policy-violation recipient-unavailable redirect
  registration-required remote-server-not-found remote-server-timeout resource-constraint service-unavailable
  subscription-required undefined-condition unexpected-request`.split(/\s+/);
const later: Readonly<Record<string, object>> = {
  ...{ 'internal-server-error': busy, 'remote-server-timeout': busy, 'undefined-condition': busy },
  ...{ 'resource-constraint': rate, 'policy-violation': rate },
};

test.each(CONDITIONS)('a message that is refused with %s', async (condition) => {
  const gone = { kind: 'refused', why: 'gone', detail: condition };
  const direction = sending(direct);
  const refused = direction.send('m1');
  expect(direction.refuse('m1', condition)).toBe(true);
  expect(await refused).toEqual(later[condition] ?? gone);

  const room = sending(inRoom);
  const inside = room.send('m1');
  room.refuse('m1', condition);
  // The room no longer knows the account.
  const isUnknown = condition === 'not-acceptable';
  expect(await inside).toEqual(isUnknown ? busy : (later[condition] ?? gone));
  expect(room.rejoined).toHaveLength(isUnknown ? 1 : 0);

  const transient = sending(direct);
  const offline = transient.send('m1', 'no-store');
  transient.refuse('m1', condition);
  const isOffline = ['service-unavailable', 'recipient-unavailable'].includes(condition);
  expect(await offline).toEqual(isOffline ? { kind: 'done', id: 'm1' } : (later[condition] ?? gone));
});

test('a response from another address is no response', async () => {
  const { send, refuse, answer, sent } = sending(inRoom);
  const delivered = send('m1');
  expect(refuse('m1', 'forbidden', 'forger@example.org')).toBe(true);
  expect(answer({ id: 'm1', from: `${ROOM}/somebody`, type: 'groupchat' })).toBe(false);
  expect(answer({ id: 'm2', from: `${ROOM}/Parley`, type: 'groupchat' })).toBe(false);
  const stanzaId = element('stanza-id', NS.stanzaId, { id: 's1', by: ROOM });
  expect(answer({ id: 'm1', from: `${ROOM}/Parley`, type: 'groupchat' }, stanzaId)).toBe(true);
  expect(await delivered).toEqual({ kind: 'done', id: 'm1', stanzaId: 's1' });
  expect(sent).toHaveLength(1);
});

test('a message ends with its session: busy before it was sent, and unknown after that', async () => {
  expect(await sending(direct, { lost: true }).send('m1')).toEqual(busy);
  const handled = Promise.reject(new LostSession('lost'));
  expect(await sending(direct, { handled }).send('m1')).toEqual({ kind: 'unknown' });
  expect(await sending(direct, { handled: Promise.resolve() }).send('m1')).toEqual({
    kind: 'done',
    id: 'm1',
  });
});

test('nothing is left of a message that was answered or stopped', async () => {
  const answered = sending(inRoom);
  const delivered = answered.send('m1');
  answered.refuse('m1', 'forbidden');
  await delivered;
  expect(answered.answer({ id: 'm1', from: `${ROOM}/Parley`, type: 'groupchat' })).toBe(false);

  const stopped = sending(inRoom);
  const aborted = stopped.send('m1');
  const reason = new Error('stopped');
  stopped.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  expect(stopped.answer({ id: 'm1', from: `${ROOM}/Parley`, type: 'groupchat' })).toBe(false);
});
