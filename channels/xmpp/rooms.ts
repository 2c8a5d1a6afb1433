/** The rooms that the account has joined (XEP-0045), and who is in them. */

import { LRUCache } from 'lru-cache';
import { type Clock, defined, type Log } from 'parley/kit';
import { bareOf, discover, NS, resourceOf } from './protocol.ts';
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
/** Maximum marks that are added to the nickname until it is free. */
const MAX_MARKS = 3;
/** Maximum number of occupants that are remembered for each room, including those who have left. */
const REMEMBERED = 1_000;

export interface Occupant {
  readonly nick: string;
  /** The person's own address, if the room shows it to the account. */
  readonly jid?: string | undefined;
  /** Id that stays the same when the nickname changes (XEP-0421). */
  readonly occupantId?: string;
  readonly affiliation: string;
}

export type Room = ReturnType<typeof newRoom>;

const newRoom = (address: string, nick: string) => ({
  address,
  /** The account's nickname in this room. */
  nick,
  /** The account's role in the room; empty until it has joined. */
  role: '',
  /** `closed`: banned, or the room was destroyed. The account does not try to join again. */
  state: 'outside' as 'outside' | 'joining' | 'joined' | 'closed',
  /** Number of requests to join the room. */
  attempt: 0,
  /** Time in this session at which the room last removed the account without a reason. */
  droppedAt: Number.NEGATIVE_INFINITY,
  occupants: new Map<string, Occupant>(),
  /**
   * The last known state of occupants who have an occupant id, by that id. Needed for missed messages, whose authors may
   * have left. Only in memory: after a restart, the map contains those who are present then or come later.
   */
  remembered: new LRUCache<string, Occupant>({ max: REMEMBERED }),
  /** Features of the room (XEP-0030); empty until they are known. */
  features: new Set() as ReadonlySet<string>,
  /**
   * Resolves once the missed messages were read or cannot be read. The value is false if the session was lost before
   * that. Later messages from the room wait for this.
   */
  caughtUp: Promise.resolve(true),
});

/** True if the room replaces forged occupant ids, so that they can be believed. */
export const hasOccupantIds = (room: Room | undefined): boolean => room?.features.has(NS.occupant) === true;

export interface RoomsDeps {
  readonly connection: Pick<Connection, 'send' | 'request' | 'isOnline'>;
  readonly addresses: readonly string[];
  readonly nick: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called after a room was joined and its features were read. */
  joined(room: Room): Promise<void>;
  /** Called when a room does not let the account in, with the condition of its error. */
  refused?(condition: string): void;
}

export class Rooms {
  readonly #deps: RoomsDeps;
  readonly #rooms: ReadonlyMap<string, Room>;

  constructor(deps: RoomsDeps) {
    this.#deps = deps;
    this.#rooms = new Map(deps.addresses.map((address) => [address, newRoom(address, deps.nick)]));
  }

  find(address: string): Room | undefined {
    return this.#rooms.get(address);
  }

  /** Joins all rooms, because a new session has begun. */
  joinAll(): void {
    for (const room of this.#rooms.values()) {
      // A new session may end an earlier one, and the room then removes the account. Each session may see this once.
      room.droppedAt = Number.NEGATIVE_INFINITY;
      if (room.state !== 'closed') this.#join(room);
    }
  }

  /** Joins a room again, because it no longer knows the account. */
  rejoin(room: Room): void {
    if (room.state === 'joined') this.#join(room);
  }

  /** Removes a person from `remembered` in all rooms. `person`: a bare address, or `ROOM#OCCUPANT-ID`. */
  forget(person: string): void {
    for (const { address, remembered } of this.#rooms.values())
      for (const [id, { jid = '' }] of [...remembered.entries()])
        if (bareOf(jid).toLowerCase() === person || `${address}#${id}` === person) remembered.delete(id);
  }

  /** Handles a presence. Returns at once. */
  presence(stanza: Element) {
    const { from = '', type } = stanza.attrs;
    const room = this.#rooms.get(bareOf(from));
    if (room === undefined) return;
    if (type === 'error') return this.#refused(room, errorIn(stanza).condition);
    const user = childOf(stanza, 'x', NS.roomUser);
    const codes = childrenOf(user, 'status', NS.roomUser).map(({ attrs }) => attrs.code ?? '');
    const nick = resourceOf(from);
    if (type === 'unavailable') return this.#left(room, nick, user, codes);
    const { jid, affiliation = 'none', role = '' } = childOf(user, 'item', NS.roomUser)?.attrs ?? {};
    const occupantId = childOf(stanza, 'occupant-id', NS.occupant)?.attrs.id;
    const occupant = { nick, affiliation, ...defined({ jid, occupantId }) };
    room.occupants.set(nick, occupant);
    if (occupantId !== undefined) room.remembered.set(occupantId, occupant);
    if (!codes.includes(SELF)) return;
    room.role = role;
    if (room.state !== 'joined') this.#joined(room, nick, codes);
  }

  #join(room: Room): void {
    room.state = 'joining';
    room.attempt += 1;
    room.occupants.clear();
    const { address, attempt, nick } = room;
    this.#after(JOIN_MS, () => {
      if (room.state !== 'joining' || room.attempt !== attempt || !this.#deps.connection.isOnline()) return;
      this.#deps.log.warn({ room: address }, 'a room has not answered the request to join it');
      this.#join(room);
    });
    // The archive tells what was missed, so the room need not repeat its history.
    const history = element('history', NS.room, { maxstanzas: '0' });
    const join = element('x', NS.room, {}, history);
    try {
      this.#deps.connection.send(element('presence', NS.client, { to: `${address}/${nick}` }, join));
    } catch {
      room.state = 'outside';
    }
  }

  #after(ms: number, then: () => void): void {
    this.#deps.clock.wait(ms, this.#deps.signal).then(then, () => undefined);
  }

  /** Handles the refusal to let the account in. If its nickname is taken, tries another one. */
  #refused(room: Room, condition: string) {
    if (room.state !== 'joining') return;
    if (condition !== 'conflict' || room.nick.length >= this.#deps.nick.length + MAX_MARKS) {
      this.#deps.refused?.(condition);
      return this.#leave(room, condition);
    }
    room.nick = `${room.nick}_`;
    this.#join(room);
  }

  #joined(room: Room, nick: string, codes: readonly string[]): void {
    room.nick = nick;
    room.state = 'joined';
    if (codes.includes(CREATED)) this.#open(room.address);
    room.caughtUp = this.#catchUp(room);
  }

  /** Reads the features of a room, and then its missed messages. */
  async #catchUp(room: Room): Promise<boolean> {
    try {
      room.features = await this.#featuresOf(room);
      await this.#deps.joined(room);
      return true;
    } catch (err) {
      this.#deps.log.warn({ err, room: room.address }, 'the missed messages of a room could not be read');
      return !(err instanceof LostSession);
    }
  }

  /** Resolves with the features of a room. A room that refuses to list them has none. */
  async #featuresOf({ address, features }: Room): Promise<ReadonlySet<string>> {
    try {
      return (await discover(address, this.#deps.connection, this.#deps.signal)).features;
    } catch (thrown) {
      if (thrown instanceof StanzaError) return new Set();
      // It is unknown whether the room has an archive, so the next session reads what was missed.
      if (features.size === 0) throw thrown;
      return features;
    }
  }

  /** Handles the presence of an occupant who is gone; it may be the account itself. */
  #left(room: Room, nick: string, user: Element | undefined, codes: readonly string[]) {
    // The presence contains the new affiliation: a person who was banned, for example, is no longer a member.
    const { affiliation, nick: renamed } = childOf(user, 'item', NS.roomUser)?.attrs ?? {};
    const occupant = room.occupants.get(nick);
    if (occupant?.occupantId !== undefined && affiliation !== undefined)
      room.remembered.set(occupant.occupantId, { ...occupant, affiliation });
    room.occupants.delete(nick);
    if (!codes.includes(SELF) && nick !== room.nick) return;
    if (codes.includes(RENAMED) && renamed !== undefined) {
      room.nick = renamed;
      return;
    }
    const isDestroyed = childOf(user, 'destroy', NS.roomUser) !== undefined;
    const why = isDestroyed ? DESTROYED : codes.find((code) => REMOVALS.has(code));
    if (why !== undefined) return this.#leave(room, why);
    if (room.state !== 'joined') return;
    const now = this.#deps.clock.now();
    const isAgain = now - room.droppedAt < REJOIN_MS;
    room.droppedAt = now;
    // An earlier session of the account has ended, and the room has removed the account. This happens when the server
    // notices only now that the process before this one was killed.
    if (isAgain) this.#leave(room, 'removed again without a reason');
    else this.#join(room);
  }

  #leave(room: Room, why: string): void {
    this.#deps.log.warn({ room: room.address, why }, 'the account is no longer in a room');
    // Joining a destroyed room would create it anew, with the account as its owner.
    room.state = why === BANNED || why === DESTROYED ? 'closed' : 'outside';
    room.occupants.clear();
    this.#after(REJOIN_MS, () => {
      if (room.state === 'outside' && this.#deps.connection.isOnline()) this.#join(room);
    });
  }

  /**
   * Accepts the default configuration of a room that did not exist before. Until then, the server lets nobody else enter
   * (XEP-0045, section 10.1.2).
   */
  #open(room: string): void {
    const { connection, signal, log } = this.#deps;
    log.warn({ room }, 'a room did not exist, so the server has created it');
    const form = element('query', NS.roomOwner, {}, element('x', NS.form, { type: 'submit' }));
    connection
      .request('set', room, form, signal)
      .catch((err: unknown) => log.warn({ err, room }, 'a new room could not be opened'));
  }
}
