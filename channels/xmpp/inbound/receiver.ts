/** Sorts what the server sends: presences, requests, confirmations, and messages of people. */

import { type Clock, type Log, within } from 'parley/kit';
import type { StoringAgain } from 'parley/kit/ladder';
import type { Deliver } from '../deliver.ts';
import { bareOf, domainOf, NS, newId, resourceOf } from '../protocol.ts';
import type { Occupant, Room, Rooms } from '../rooms.ts';
import { type Connection, sendIfOnline } from '../stream/connection.ts';
import { childOf, type Element, element } from '../stream/xml.ts';
import type { Archive } from './archive.ts';
import type { Commands } from './commands.ts';
import { type IntakeDeps, takeIn } from './intake.ts';
import { authorOf, hasOccupantIds } from './people.ts';
import { readMessage, readTime, type Said } from './read.ts';
import { answerRequest } from './requests.ts';

/**
 * Maximum time for which a message waits until the missed ones are read, in milliseconds: as long as one try to read an
 * archive. An archive that does not respond must not delay the first sign of an answer for longer.
 */
const CATCH_UP_MS = 10_000;

/**
 * Maximum time for which a message waits if the session is lost before the missed messages are read, in milliseconds.
 * Without a session, the bridge can show no sign of an answer, so the wait delays nothing.
 */
const LOST_MS = 60_000;
/** Pause before the next look whether a new session reads the archive, in milliseconds. */
const LOOK_MS = 200;

/** Address under which the archive stores a message. */
type Origin = { readonly id: string; readonly room?: string; readonly stamp: string | undefined };

export type Receiver = ReturnType<typeof createReceiver>;

interface ReceiverDeps {
  readonly connection: () => Connection;
  readonly rooms: Rooms;
  readonly deliver: Deliver;
  readonly archive: Archive;
  readonly clock: Clock;
  readonly log: Log;
  readonly jid: string;
  readonly storing: StoringAgain;
  readonly intake: IntakeDeps;
  readonly commands: Commands;
  /** See `CatchUp.done`. */
  readonly caughtUp: (room: Room | undefined) => Promise<boolean>;
}

export function createReceiver(deps: ReceiverDeps) {
  const { connection, rooms, deliver, archive, clock, log, jid, storing, intake } = deps;
  const bySender = createOrder();
  const byPlace = createOrder();
  const store = (said: Said): Promise<void> =>
    bySender(said.from, undefined, () => storing.try(() => takeIn(said, intake)));
  /** Resolves when a live message may be stored: the missed ones come first, if they are read soon. */
  const ready = async (room: Room | undefined): Promise<void> => {
    await room?.known;
    await untilRead(() => deps.caughtUp(room), deps);
  };
  const message = async (stanza: Element): Promise<void> => {
    const { from = '', type } = stanza.attrs;
    if (archive.take(stanza) || deliver.take(stanza)) return;
    const isRoom = type === 'groupchat';
    const address = bareOf(from);
    // A private message of an occupant does not tell who the person is, so it is not answered.
    if (from === '' || address === jid || (!isRoom && isFromRoom(stanza, rooms))) return;
    const room = isRoom ? rooms.find(address) : undefined;
    // In a new session, servers repeat what the killed one had not acknowledged. Before the room is joined, its
    // occupants are unknown. The archive contains these messages, and is read after the room was joined.
    if (room !== undefined && room.state !== 'joined') return;
    // The author may leave while the message waits.
    const inside = room?.occupants.get(resourceOf(from));
    // Questions are answered in the order in which people asked, so also different people's messages stay in order.
    await byPlace(address, ready(room), async () => {
      const reading = {
        ...{ isRoom, by: isRoom ? address : jid, now: clock.now() },
        hasOccupantIds: hasOccupantIds(room),
      };
      const said = readMessage(stanza, reading);
      if (said === undefined) return;
      await store(withOccupant(said, room, inside));
      if (said.wantsReceipt && !isRoom) confirmReceipt(connection(), from, said.id);
    });
  };
  return {
    /** Handles a stanza. Resolves once the events that it causes are stored. */
    async handle(stanza: Element) {
      if (stanza.name === 'presence') return presence(stanza, deps);
      if (stanza.name === 'iq') return answerRequest(stanza, deps);
      await message(stanza);
    },
    /** Handles a message from the archive of a room, or of the account if `room` is undefined. */
    async archived(inner: Element, { id, room, stamp }: Origin) {
      const { from = '', type } = inner.attrs;
      const isRoom = room !== undefined;
      const inside = isRoom ? rooms.find(room) : undefined;
      if (bareOf(from) === jid || (isRoom && (type !== 'groupchat' || bareOf(from) !== room))) return;
      if (!isRoom && (type === 'groupchat' || isFromRoom(inner, rooms))) return;
      const reading = {
        ...{ isRoom, by: room ?? jid, archiveId: id, now: clock.now() },
        hasOccupantIds: hasOccupantIds(inside),
      };
      const said = readMessage(inner, reading);
      if (said === undefined || (isRoom && resourceOf(from) === inside?.nick)) return;
      const missed = asMissed(said, inner, stamp, reading.now);
      await store(withOccupant(missed, inside, inside?.occupants.get(resourceOf(from)))).catch(
        (err: unknown) => log.warn({ err }, 'a missed message could not be stored'),
      );
    },
  };
}

/** Returns a function that runs `work` once `ready` resolves and the earlier work of the same key has ended. */
function createOrder() {
  const last = new Map<string, Promise<unknown>>();
  return (key: string, ready: Promise<unknown> | undefined, work: () => Promise<void>): Promise<void> => {
    const done = Promise.all([ready, last.get(key)]).then(work);
    const settled = done
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === settled) last.delete(key);
      });
    last.set(key, settled);
    return done;
  };
}

/** Resolves once the missed messages are read, or after the maximum time. `reading`: the newest attempt to read them. */
async function untilRead(
  reading: () => Promise<boolean>,
  { clock, connection }: Pick<ReceiverDeps, 'clock' | 'connection'>,
): Promise<void> {
  const until = clock.now() + LOST_MS;
  while (clock.now() < until) {
    const attempt = reading();
    const isRead = await within(attempt, CATCH_UP_MS, clock);
    if (isRead === true) return;
    if (isRead === undefined && connection().isOnline() && reading() === attempt) return;
    await clock.wait(LOOK_MS);
  }
}

function withOccupant(said: Said, room: Room | undefined, inside: Occupant | undefined): Said {
  const occupant = room && authorOf(said, room, inside);
  return occupant === undefined ? said : { ...said, occupant };
}

/**
 * Handles a presence. With the type `subscribe`, a person asks to see that the bridge is online. Members of the
 * organization may see it, because their clients need this to find the commands of the account. Every other presence
 * concerns a room.
 */
function presence(stanza: Element, { rooms, connection, intake }: ReceiverDeps): void {
  const { from = '', type } = stanza.attrs;
  if (type !== 'subscribe') {
    rooms.presence(stanza);
    return;
  }
  const isMember = intake.members.includes(domainOf(from));
  const answer = { to: bareOf(from), type: isMember ? 'subscribed' : 'unsubscribed' };
  sendIfOnline(connection(), element('presence', NS.client, answer));
}

/**
 * True for an occupant's private message, and for an invitation. The mark of rooms (XEP-0045) also identifies messages
 * from rooms that the account has not joined.
 */
const isFromRoom = (message: Element, rooms: Rooms): boolean =>
  rooms.find(bareOf(message.attrs.from ?? '')) !== undefined ||
  childOf(message, 'x', NS.roomUser) !== undefined;

/** @param stamp time of the message in the archive */
function asMissed(said: Said, inner: Element, stamp: string | undefined, now: number): Said {
  const address = said.isRoom ? addressIn(inner) : undefined;
  const time = stamp === undefined ? {} : readTime(stamp, now);
  return { ...said, ...time, isMissed: true, ...(address !== undefined && { jid: address }) };
}

/** Returns the author's own address, which the archive of a room adds for those who may see it (XEP-0313). */
function addressIn(message: Element): string | undefined {
  const user = childOf(message, 'x', NS.roomUser);
  return user && childOf(user, 'item', NS.roomUser)?.attrs.jid;
}

function confirmReceipt(connection: Connection, to: string, id: string): void {
  const received = element('received', NS.receipts, { id });
  const message = element(
    'message',
    NS.client,
    { to, type: 'chat', id: newId() },
    received,
    element('store', NS.hints),
  );
  sendIfOnline(connection, message);
}
