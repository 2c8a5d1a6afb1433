/** The rooms that the account has joined (XEP-0045), and who is in them. */

import type { Clock, Log } from '../../src/kit.ts';
import { bareOf, NS, resourceOf } from './protocol.ts';
import { type Connection, errorIn } from './stream/connection.ts';
import { childOf, childrenOf, type Element, element } from './stream/xml.ts';

/** Pause before a room is joined again after a refusal or a removal, in milliseconds. */
const REJOIN_MS = 15_000;
/** Status codes of XEP-0045 for a presence: about the account itself, and banned. */
const SELF = '110';
const BANNED = '301';
/** Maximum marks that are added to the nickname until it is free. */
const MAX_MARKS = 3;

export interface Occupant {
  readonly nick: string;
  /** The person's own address, if the room shows it to the account. */
  readonly jid?: string;
  /** Id that stays the same when the nickname changes (XEP-0421). */
  readonly occupantId?: string;
  readonly affiliation: string;
}

export interface Room {
  readonly address: string;
  /** The account's nickname in this room. */
  nick: string;
  state: 'outside' | 'joining' | 'joined' | 'closed';
  readonly occupants: Map<string, Occupant>;
  /** Features of the room (XEP-0030); empty until they are known. */
  features: ReadonlySet<string>;
  /** Resolves once the features are known, or cannot be read. Messages are read only then. */
  known: Promise<void>;
}

export interface Rooms {
  find(address: string): Room | undefined;
  all(): readonly Room[];
  /** Handles a presence. Returns at once. */
  presence(stanza: Element): void;
  /** Joins all rooms, because a new session has begun. */
  joinAll(): void;
  /** Joins a room again, because it no longer knows the account. */
  rejoin(room: Room): void;
}

interface RoomsDeps {
  readonly connection: () => Connection;
  readonly addresses: readonly string[];
  readonly nick: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when a room was joined, once its features are known. */
  joined(room: Room): Promise<void>;
}

export function createRooms(deps: RoomsDeps): Rooms {
  const { addresses, nick } = deps;
  const rooms = new Map<string, Room>();
  for (const address of addresses)
    rooms.set(address, {
      ...{ address, nick, state: 'outside', occupants: new Map(), features: new Set() },
      known: Promise.resolve(),
    });
  return {
    find: (address) => rooms.get(address),
    all: () => [...rooms.values()],
    joinAll() {
      for (const room of rooms.values()) if (room.state !== 'closed') join(room, deps);
    },
    rejoin(room) {
      if (room.state === 'joined') join(room, deps);
    },
    presence(stanza) {
      const { from = '', type } = stanza.attrs;
      const room = rooms.get(bareOf(from));
      if (room === undefined) return;
      if (type === 'error') refused(room, stanza, deps);
      else seen(room, stanza, deps);
    },
  };
}

function join(room: Room, { connection }: RoomsDeps): void {
  room.state = 'joining';
  room.occupants.clear();
  // The archive tells what was missed, so the room need not repeat its history.
  const history = element('history', NS.room, { maxstanzas: '0' });
  const to = `${room.address}/${room.nick}`;
  try {
    connection().send(element('presence', NS.client, { to }, element('x', NS.room, {}, history)));
  } catch {
    room.state = 'outside';
  }
}

function leave(room: Room, why: string, deps: RoomsDeps): void {
  const { log, clock, signal, connection } = deps;
  log.warn({ room: room.address, why }, 'the account is no longer in a room');
  room.state = why === BANNED ? 'closed' : 'outside';
  room.occupants.clear();
  const joinLater = async (): Promise<void> => {
    await clock.wait(REJOIN_MS, signal);
    if (room.state === 'outside' && connection().isOnline()) join(room, deps);
  };
  void joinLater().catch(() => undefined);
}

/** Handles the refusal to let the account in. If its nickname is taken, tries another one. */
function refused(room: Room, stanza: Element, deps: RoomsDeps): void {
  if (room.state !== 'joining') return;
  const { condition } = errorIn(stanza);
  if (condition !== 'conflict' || room.nick.length >= deps.nick.length + MAX_MARKS) {
    leave(room, condition, deps);
    return;
  }
  room.nick = `${room.nick}_`;
  join(room, deps);
}

function seen(room: Room, stanza: Element, deps: RoomsDeps): void {
  const nick = resourceOf(stanza.attrs.from ?? '');
  const user = childOf(stanza, 'x', NS.roomUser);
  const codes =
    user === undefined ? [] : childrenOf(user, 'status', NS.roomUser).map(({ attrs }) => attrs.code);
  if (stanza.attrs.type === 'unavailable') {
    room.occupants.delete(nick);
    const why =
      user !== undefined && childOf(user, 'destroy', NS.roomUser)
        ? 'destroyed'
        : codes.find((code) => code !== SELF);
    if (codes.includes(SELF) || (nick === room.nick && why !== undefined))
      leave(room, why ?? 'removed', deps);
    // Another session of the account left, such as that of the process before this one. Join again to stay visible.
    else if (nick === room.nick && room.state === 'joined') join(room, deps);
    return;
  }
  const item = user && childOf(user, 'item', NS.roomUser);
  room.occupants.set(nick, occupantOf(nick, item, childOf(stanza, 'occupant-id', NS.occupant)));
  if (!codes.includes(SELF) || room.state === 'joined') return;
  room.nick = nick;
  room.state = 'joined';
  room.known = readFeatures(room, deps).catch((err: unknown) =>
    deps.log.warn({ err, room: room.address }, 'the features of a room could not be read'),
  );
  void room.known
    .then(() => deps.joined(room))
    .catch((err: unknown) =>
      deps.log.warn({ err, room: room.address }, 'the missed messages of a room could not be read'),
    );
}

/** Reads the features of a room that the account has joined. */
async function readFeatures(room: Room, { connection, signal }: RoomsDeps): Promise<void> {
  const info = await connection().request('get', room.address, element('query', NS.discoInfo), signal);
  const query = childOf(info, 'query', NS.discoInfo);
  const features = query === undefined ? [] : childrenOf(query, 'feature', NS.discoInfo);
  room.features = new Set(features.flatMap(({ attrs }) => attrs.var ?? []));
}

function occupantOf(nick: string, item: Element | undefined, occupant: Element | undefined): Occupant {
  const { jid, affiliation = 'none' } = item?.attrs ?? {};
  const occupantId = occupant?.attrs.id;
  return {
    nick,
    affiliation,
    ...(jid !== undefined && { jid }),
    ...(occupantId !== undefined && { occupantId }),
  };
}
