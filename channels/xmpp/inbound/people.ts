/** Finds out who wrote a message. A nickname does not identify a person, because anyone may take it. */

import { createHash } from 'node:crypto';
import type { Person } from 'parley/kit';
import { visibleName } from 'parley/kit/ladder';
import { bareOf, CHAT, domainOf, resourceOf } from '../protocol.ts';
import type { Occupant } from '../rooms.ts';
import type { IncomingMessage } from './read.ts';

export interface PeopleSettings {
  /** Domains whose people are members. */
  readonly members: readonly string[];
  /** True if addresses are e-mail addresses. */
  readonly emails: boolean;
}

/** What a message says about its author. */
type Author = Pick<IncomingMessage, 'from' | 'room' | 'jid' | 'occupantId' | 'occupant'>;

/** Affiliations of people whom the room's owner has admitted by name (XEP-0045, section 5.2). */
const ADMITTED: readonly unknown[] = ['owner', 'admin', 'member'];

/**
 * Returns the occupant who wrote a message; undefined if that occupant is unknown. `inside`: the occupant who had the
 * nickname when the message arrived. The author of a missed message may be another one, who had the nickname earlier.
 */
export function authorOf({ room, occupantId, isMissed }: IncomingMessage, inside: Occupant | undefined) {
  if (occupantId === undefined) return isMissed ? undefined : inside;
  return inside?.occupantId === occupantId ? inside : room?.remembered.get(occupantId);
}

/**
 * Returns the person: by their own address, which the room shows to the account, or else by their occupant id
 * (XEP-0421). Returns undefined if the room tells neither.
 */
export function personOf(author: Author, { members, emails }: PeopleSettings): Person | undefined {
  const { from, room, jid, occupantId, occupant } = author;
  const own = room ? (jid ?? occupant?.jid)?.toLowerCase() : from;
  const name = visibleName([room ? resourceOf(from) : from.replace(/@.*$/s, '')], 'somebody');
  if (own !== undefined) {
    const id = bareOf(own);
    const standing = members.includes(domainOf(id)) ? 'member' : 'external';
    return { id, name, standing, ...(emails && { email: id }) };
  }
  if (occupantId === undefined || room === undefined) return undefined;
  // The room hides the address, so its owner must vouch for the person: a member must be admitted to the room by name.
  const host = domainOf(room.address);
  const isOurs = members.some((domain) => host === domain || host.endsWith(`.${domain}`));
  const standing = isOurs && ADMITTED.includes(occupant?.affiliation) ? 'member' : 'external';
  return { id: hiddenId(room.address, occupantId), name, standing };
}

/** Returns the id of a person whose address the room hides. */
export const hiddenId = (room: string, occupantId: string): string => `${room}#${occupantId}`;

/**
 * Returns the key of the conversation to which a person's messages without a thread belong. In rooms, each person has
 * such a conversation of their own.
 */
export function ownKey(room: string, isRoom: boolean, { id }: Person): string {
  if (!isRoom) return CHAT;
  const hash = createHash('sha256').update(JSON.stringify([room, id]));
  return `parley-${hash.digest('base64url').slice(0, 16)}`;
}
