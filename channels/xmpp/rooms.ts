/** The rooms that the account has joined (XEP-0045), and who is in them. */

import { LRUCache } from 'lru-cache';
import type { Clock, Log } from 'parley/kit';
import { bareOf, NS, resourceOf } from './protocol.ts';
import { type Connection, errorIn, LostSession, StanzaError } from './stream/connection.ts';
import { childOf, childrenOf, type Element, element } from './stream/xml.ts';

/** Pause before a room is joined again after a refusal or a removal, in milliseconds. */
const REJOIN_MS = 15_000;
/** Maximum milliseconds until a room responds to the request to join it. */
const JOIN_MS = 30_000;
/** Status codes of a presence (XEP-0045, section 15.6.2). `SELF`: the presence is that of the account itself. */
const SELF = '110';
const BANNED = '301';
const CREATED = '201';
const RENAMED = '303';
/** Status codes that say why the room has removed an occupant; without one, the occupant has left. */
const REMOVALS: ReadonlySet<string> = new Set([BANNED, '307', '321', '322', '332', '333']);
const DESTROYED = 'destroyed';
const DROPPED = 'removed again without a reason';
/** Maximum marks that are added to the nickname until it is free. */
const MAX_MARKS = 3;
/** Maximum number of occupants that are remembered for each room, including those who have left. */
const REMEMBERED = 1_000;

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
  /** `closed`: banned, or the room was destroyed. The account does not try to join again. */
  state: 'outside' | 'joining' | 'joined' | 'closed';
  /** Number of requests to join the room. */
  attempt: number;
  /** Time in this session at which the room last removed the account without a reason. */
  droppedAt: number;
  readonly occupants: Map<string, Occupant>;
  /**
   * The last known state of occupants who have an occupant id, by that id. Needed for missed messages, whose authors may
   * have left. Only in memory: after a restart, the map contains those who are present then or come later.
   */
  readonly remembered: LRUCache<string, Occupant>;
  /** Features of the room (XEP-0030); empty until they are known. */
  features: ReadonlySet<string>;
  /** Resolves once the features were read or could not be read. Messages from the room wait for this. */
  known: Promise<void>;
  /**
   * Resolves once the missed messages were read or cannot be read. The value is false if the session was lost before
   * that. Later messages from the room wait for this.
   */
  caughtUp: Promise<boolean>;
}

export type Rooms = ReturnType<typeof createRooms>;

interface RoomsDeps {
  readonly connection: () => Connection;
  readonly addresses: readonly string[];
  readonly nick: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called after a room was joined and its features were read. */
  joined(room: Room): Promise<void>;
}

export function createRooms(deps: RoomsDeps) {
  const { addresses, nick } = deps;
  const rooms = new Map<string, Room>();
  for (const address of addresses)
    rooms.set(address, {
      ...{
        address,
        nick,
        state: 'outside',
        attempt: 0,
        droppedAt: Number.NEGATIVE_INFINITY,
        occupants: new Map(),
        remembered: new LRUCache<string, Occupant>({ max: REMEMBERED }),
        features: new Set(),
      },
      ...{ known: Promise.resolve(), caughtUp: Promise.resolve(true) },
    });
  return {
    find: (address: string) => rooms.get(address),
    all: () => [...rooms.values()],
    /** Joins all rooms, because a new session has begun. */
    joinAll() {
      for (const room of rooms.values()) {
        // A new session may end an earlier one, and the room then removes the account. Each session may see this once.
        room.droppedAt = Number.NEGATIVE_INFINITY;
        if (room.state !== 'closed') join(room, deps);
      }
    },
    /** Joins a room again, because it no longer knows the account. */
    rejoin(room: Room) {
      if (room.state === 'joined') join(room, deps);
    },
    /** Removes a person from `remembered` in all rooms. `person`: a bare address, or `ROOM#OCCUPANT-ID`. */
    forget(person: string) {
      for (const { address, remembered } of rooms.values())
        for (const [id, { jid = '' }] of [...remembered.entries()])
          if (bareOf(jid).toLowerCase() === person || `${address}#${id}` === person) remembered.delete(id);
    },
    /** Handles a presence. Returns at once. */
    presence(stanza: Element) {
      const { from = '', type } = stanza.attrs;
      const room = rooms.get(bareOf(from));
      if (room === undefined) return;
      if (type === 'error') refused(room, stanza, deps);
      else seen(room, stanza, deps);
    },
  };
}

function join(room: Room, deps: RoomsDeps): void {
  const { connection, clock, signal, log } = deps;
  room.state = 'joining';
  room.attempt += 1;
  room.occupants.clear();
  const { attempt } = room;
  const joinAgain = async (): Promise<void> => {
    await clock.wait(JOIN_MS, signal);
    if (room.state !== 'joining' || room.attempt !== attempt || !connection().isOnline()) return;
    log.warn({ room: room.address }, 'a room has not answered the request to join it');
    join(room, deps);
  };
  void joinAgain().catch(() => undefined);
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
  // Joining a destroyed room would create it anew, with the account as its owner.
  room.state = why === BANNED || why === DESTROYED ? 'closed' : 'outside';
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
  const codes = codesOf(user);
  const item = user && childOf(user, 'item', NS.roomUser);
  if (stanza.attrs.type === 'unavailable') {
    // The presence contains the new affiliation: a person who was banned, for example, is no longer a member.
    const { affiliation } = item?.attrs ?? {};
    const left = room.occupants.get(nick);
    if (left !== undefined && affiliation !== undefined) remember(room, { ...left, affiliation });
    room.occupants.delete(nick);
    if (codes.includes(SELF) || nick === room.nick) gone(room, user, deps);
    return;
  }
  const occupant = readOccupant(nick, item, childOf(stanza, 'occupant-id', NS.occupant));
  room.occupants.set(nick, occupant);
  remember(room, occupant);
  if (!codes.includes(SELF) || room.state === 'joined') return;
  room.nick = nick;
  room.state = 'joined';
  if (codes.includes(CREATED)) open(room, deps);
  const features = readFeatures(room, deps);
  room.known = features.catch((err: unknown) =>
    deps.log.warn({ err, room: room.address }, 'the features of a room could not be read'),
  );
  room.caughtUp = features
    .catch((err: unknown) => {
      // It is unknown whether the room has an archive, so the next session reads what was missed.
      if (room.features.size === 0) throw err;
    })
    .then(() => deps.joined(room))
    .then(() => true)
    .catch((err: unknown) => {
      deps.log.warn({ err, room: room.address }, 'the missed messages of a room could not be read');
      return !(err instanceof LostSession);
    });
}

/** Handles the presence with which the room says that the account's occupant is gone. */
function gone(room: Room, user: Element | undefined, deps: RoomsDeps): void {
  const codes = codesOf(user);
  const renamed = user && childOf(user, 'item', NS.roomUser)?.attrs.nick;
  if (codes.includes(RENAMED) && renamed !== undefined) {
    room.nick = renamed;
    return;
  }
  const isDestroyed = user !== undefined && childOf(user, 'destroy', NS.roomUser) !== undefined;
  const why = isDestroyed ? DESTROYED : codes.find((code) => REMOVALS.has(code));
  if (why !== undefined) {
    leave(room, why, deps);
    return;
  }
  if (room.state !== 'joined') return;
  const now = deps.clock.now();
  const isAgain = now - room.droppedAt < REJOIN_MS;
  room.droppedAt = now;
  // An earlier session of the account has ended, and the room has removed the account. This happens when the server
  // notices only now that the process before this one was killed.
  if (isAgain) leave(room, DROPPED, deps);
  else join(room, deps);
}

const codesOf = (user: Element | undefined): readonly string[] =>
  user === undefined ? [] : childrenOf(user, 'status', NS.roomUser).flatMap(({ attrs }) => attrs.code ?? []);

/**
 * Accepts the default configuration of a room that did not exist before. Until then, the server lets nobody else enter
 * (XEP-0045, section 10.1.2).
 */
function open(room: Room, { connection, signal, log }: RoomsDeps): void {
  log.warn({ room: room.address }, 'a room did not exist, so the server has created it');
  const form = element('x', NS.form, { type: 'submit' });
  connection()
    .request('set', room.address, element('query', NS.roomOwner, {}, form), signal)
    .catch((err: unknown) => log.warn({ err, room: room.address }, 'a new room could not be opened'));
}

/** Reads the features of a room that the account has joined. A room that refuses to list them has none. */
async function readFeatures(room: Room, { connection, signal }: RoomsDeps): Promise<void> {
  const info = await connection()
    .request('get', room.address, element('query', NS.discoInfo), signal)
    .catch((err: unknown) => {
      if (err instanceof StanzaError) return undefined;
      throw err;
    });
  const query = info && childOf(info, 'query', NS.discoInfo);
  const features = query === undefined ? [] : childrenOf(query, 'feature', NS.discoInfo);
  room.features = new Set(features.flatMap(({ attrs }) => attrs.var ?? []));
}

function remember({ remembered }: Room, occupant: Occupant): void {
  if (occupant.occupantId !== undefined) remembered.set(occupant.occupantId, occupant);
}

function readOccupant(nick: string, item: Element | undefined, occupant: Element | undefined): Occupant {
  const { jid, affiliation = 'none' } = item?.attrs ?? {};
  const occupantId = occupant?.attrs.id;
  return {
    nick,
    affiliation,
    ...(jid !== undefined && { jid }),
    ...(occupantId !== undefined && { occupantId }),
  };
}
