/** Findings about a room: whether the account may enter and speak there, and recognizes people. */

import { type Finding, timeLimit } from 'parley/kit';
import { orAborted } from 'parley/kit/ladder';
import { discover, NS } from '../protocol.ts';
import { type Room, Rooms, type RoomsDeps } from '../rooms.ts';
import { StanzaError } from '../stream/connection.ts';

export const good = (what: string, detail: string): Finding => ({ what, ok: true, detail });
export const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });

/** Maximum milliseconds until the room lets the account in, or refuses it. */
const ENTER_MS = 10_000;

interface Examining extends Pick<RoomsDeps, 'connection' | 'nick' | 'clock' | 'log' | 'signal'> {
  /** Called with the rooms that need the presences from now on. */
  hears(rooms: Rooms): void;
}

/** Joins a room as the bridge does. Rejects with `StanzaError`. */
function enter(address: string, { hears, ...at }: Examining): Promise<Room> {
  const { promise, resolve, reject } = Promise.withResolvers<Room>();
  const signal = AbortSignal.any([at.signal, timeLimit(ENTER_MS)]);
  const joined = async (room: Room) => resolve(room);
  const refused = (condition: string) => reject(new StanzaError(condition));
  const rooms = new Rooms({ ...at, addresses: [address], signal, joined, refused });
  hears(rooms);
  rooms.joinAll();
  return orAborted(promise, signal);
}

/** Why a room does not let the account in, by the condition of its error (XEP-0045, section 7.2), with the cure. */
const refusals: Readonly<Record<string, string>> = {
  'registration-required': 'only members may enter. Make the account a member of the room.',
  forbidden: 'the account is banned. Lift the ban.',
  'not-authorized': 'a password is needed, which the bridge cannot give. Remove it, and admit members only.',
  'service-unavailable': 'the room is full. Raise its limit.',
  'not-allowed': 'the account may not enter. Check the rules of the room and of its server.',
};

export async function examineRoom(address: string, at: Examining): Promise<Finding> {
  const { connection, nick, signal } = at;
  const what = `XMPP room ${address}`;
  let why = whyUnknown;
  try {
    // Joining a room that does not exist would create it.
    await discover(address, connection, signal);
    why = whyOutside;
    const room = await enter(address, at);
    if (room.nick === nick) return inRoom(what, room);
    return fault(
      what,
      `someone else has the nickname ${nick}. The bridge uses ${room.nick} meanwhile; choose another xmpp.nick.`,
    );
  } catch (thrown) {
    signal.throwIfAborted();
    return fault(what, why(thrown instanceof StanzaError ? thrown.condition : 'no answer'));
  }
}

function inRoom(what: string, { role, features }: Room): Finding {
  if (role === 'visitor')
    return fault(what, 'the account may read but not write. Give it voice, or make it a member of the room.');
  const seesPeople = features.has('muc_nonanonymous') || role === 'moderator';
  if (!seesPeople && !features.has(NS.occupant)) {
    const cure = 'Make the account a moderator, or let the room show addresses to everyone.';
    return fault(
      what,
      `the room hides addresses and has no occupant ids, so the bridge refuses questions there. ${cure}`,
    );
  }
  const lost = 'After an outage, messages that people wrote meanwhile are not answered.';
  const cure = 'Switch on muc_mam in prosody, mod_mam in ejabberd.';
  if (!features.has(NS.archive)) return fault(what, `the room has no archive (XEP-0313). ${lost} ${cure}`);
  return good(what, `joined; people are known by ${seesPeople ? 'their addresses' : 'occupant ids'}`);
}

function whyUnknown(condition: string): string {
  return condition === 'item-not-found' || condition === 'gone'
    ? 'the room does not exist. Create it, or correct xmpp.rooms.'
    : `the room's server does not answer for it (${condition}). Check the address in xmpp.rooms.`;
}

const whyOutside = (condition: string): string =>
  refusals[condition] ?? `the room does not let the account in (${condition}). Check its configuration.`;
