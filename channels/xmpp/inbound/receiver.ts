/** Sorts what the server sends: presences, requests, confirmations, and messages of people. */

import { createStoringAgain, within } from 'parley/kit/ladder';
import type { Deliver } from '../deliver.ts';
import { bareOf, domainOf, NS, newId, resourceOf } from '../protocol.ts';
import type { Room, Rooms } from '../rooms.ts';
import type { Connection } from '../stream/connection.ts';
import { childOf, type Element, element } from '../stream/xml.ts';
import type { Archive, Archived } from './archive.ts';
import type { Commands } from './commands.ts';
import { type IntakeDeps, takeIn } from './intake.ts';
import { authorOf } from './people.ts';
import { type IncomingMessage, readMessage, readTime } from './read.ts';

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

export type Receiver = ReturnType<typeof createReceiver>;

interface ReceiverDeps {
  readonly connection: Pick<Connection, 'isOnline' | 'sendIfOnline'>;
  readonly deliver: Pick<Deliver, 'take'>;
  readonly archive: Pick<Archive, 'take'>;
  readonly commands: Pick<Commands, 'answer'>;
  readonly intake: IntakeDeps & { readonly rooms: Pick<Rooms, 'presence'> };
  readonly signal: AbortSignal;
  /** See `CatchUp.done`. */
  caughtUp(room: Room | undefined): Promise<boolean>;
}

export function createReceiver(deps: ReceiverDeps) {
  const { connection, deliver, archive, commands, intake, signal } = deps;
  const { rooms, tenant: jid } = intake;
  const { clock, log } = intake.host;
  const bySender = createOrder();
  const byPlace = createOrder();
  const storing = createStoringAgain({ clock, log, stopping: () => signal.aborted });
  const store = (message: IncomingMessage): Promise<void> =>
    bySender(message.from, undefined, () => storing.try(() => takeIn(message, intake)));
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
    if (isRoom && room?.state !== 'joined') return;
    // The author may leave while the message waits.
    const inside = room?.occupants.get(resourceOf(from));
    // The features of the room, and the missed messages, come first, if they are read soon.
    const ready = untilRead(room, deps);
    // Questions are answered in the order in which people asked, so also different people's messages stay in order.
    await byPlace(address, ready, async () => {
      const parsed = readMessage(stanza, { room, jid, now: clock.now() });
      if (parsed === undefined) return;
      await store({ ...parsed, occupant: authorOf(parsed, inside) });
      if (parsed.wantsReceipt && !isRoom) connection.sendIfOnline(receiptOf(from, parsed.id));
    });
  };
  return {
    /** Handles a stanza. Resolves once the events that it causes are stored. */
    async handle(stanza: Element) {
      if (stanza.name === 'message') return message(stanza);
      const answer = stanza.name === 'iq' ? await commands.answer(stanza) : presence(stanza, intake);
      if (answer !== undefined) connection.sendIfOnline(answer);
    },
    /**
     * Handles a message from an archive.
     * @param address the room; undefined for the account's own archive
     */
    async archived({ id, message: inner, stamp }: Archived, address = '') {
      const { from = '', type } = inner.attrs;
      const room = rooms.find(address);
      const isElsewhere = room === undefined ? isFromRoom(inner, rooms) : bareOf(from) !== address;
      if (bareOf(from) === jid || isElsewhere || (type === 'groupchat') !== (room !== undefined)) return;
      const now = clock.now();
      const message = readMessage(inner, { room, jid, archiveId: id, now });
      if (message === undefined) return;
      // The archive of a room adds the author's own address for those who may see it (XEP-0313).
      const item = childOf(childOf(inner, 'x', NS.roomUser), 'item', NS.roomUser);
      const time = stamp === undefined ? {} : readTime(stamp, now);
      const missed: IncomingMessage = { ...message, jid: room && item?.attrs.jid, ...time, isMissed: true };
      const occupant = authorOf(missed, room?.occupants.get(resourceOf(from)));
      await store({ ...missed, occupant }).catch((err: unknown) =>
        log.warn({ err }, 'a missed message could not be stored'),
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

/** Resolves once the missed messages are read, or after the maximum time. */
async function untilRead(room: Room | undefined, deps: ReceiverDeps): Promise<void> {
  const { caughtUp, connection, intake } = deps;
  const { clock } = intake.host;
  const until = clock.now() + LOST_MS;
  while (clock.now() < until) {
    /** The newest attempt to read them. */
    const attempt = caughtUp(room);
    const isRead = await within(attempt, CATCH_UP_MS, clock);
    if (isRead === true) return;
    if (isRead === undefined && connection.isOnline() && caughtUp(room) === attempt) return;
    await clock.wait(LOOK_MS);
  }
}

/**
 * Handles a presence. With the type `subscribe`, a person asks to see that the bridge is online. Members of the
 * organization may see it, because their clients need this to find the commands of the account. Every other presence
 * concerns a room.
 */
function presence(stanza: Element, { rooms, members }: ReceiverDeps['intake']): Element | undefined {
  const { from = '', type } = stanza.attrs;
  if (type !== 'subscribe') {
    rooms.presence(stanza);
    return undefined;
  }
  const answer = members.includes(domainOf(from)) ? 'subscribed' : 'unsubscribed';
  return element('presence', NS.client, { to: bareOf(from), type: answer });
}

/**
 * True for an occupant's private message, and for an invitation. The mark of rooms (XEP-0045) also identifies messages
 * from rooms that the account has not joined.
 */
const isFromRoom = (message: Element, rooms: Pick<Rooms, 'find'>): boolean =>
  rooms.find(bareOf(message.attrs.from ?? '')) !== undefined ||
  childOf(message, 'x', NS.roomUser) !== undefined;

function receiptOf(to: string, id: string): Element {
  const received = element('received', NS.receipts, { id });
  const store = element('store', NS.hints);
  return element('message', NS.client, { to, type: 'chat', id: newId() }, received, store);
}
