/** Findings about a room: whether the account may enter and speak there, and recognizes people. */

import { type Finding, timeLimit } from 'parley/kit';
import { orAborted } from 'parley/kit/ladder';
import { bareOf, discover, NS, resourceOf } from '../protocol.ts';
import { type Connection, errorIn, StanzaError } from '../stream/connection.ts';
import { childOf, childrenOf, type Element, element } from '../stream/xml.ts';

export const good = (what: string, detail: string): Finding => ({ what, ok: true, detail });
export const fault = (what: string, detail: string): Finding => ({ what, ok: false, detail });

/** Maximum milliseconds until the room lets the account in, and until the clients in the room respond. */
const ENTER_MS = 10_000;
const CLIENTS_MS = 2_000;
/** Maximum number of clients that are asked in a room. */
const CLIENTS = 10;

export type Entrance = ReturnType<typeof createEntrance>;

/** Creates the account's own presence in rooms, in one after another. */
export function createEntrance(connection: Connection, nick: string) {
  let room = '';
  let answer = Promise.withResolvers<string>();
  /** Nicknames of the others in the room. */
  const others = new Set<string>();
  return {
    nick,
    others,
    /** Takes presences of the room, among them the error with which it may refuse the account. */
    take(stanza: Element) {
      const { from = '', type } = stanza.attrs;
      if (stanza.name !== 'presence' || bareOf(from) !== room || type === 'unavailable') return;
      if (type === 'error') return answer.reject(errorIn(stanza));
      const user = childOf(stanza, 'x', NS.roomUser);
      const isOwn = childrenOf(user, 'status', NS.roomUser).some(({ attrs }) => attrs.code === '110');
      if (isOwn) answer.resolve(childOf(user, 'item', NS.roomUser)?.attrs.role ?? '');
      else if (resourceOf(from) !== nick) others.add(resourceOf(from));
    },
    /** Resolves with the account's role in the room. Rejects with `StanzaError`. */
    async enter(address: string, signal: AbortSignal) {
      room = address;
      answer = Promise.withResolvers<string>();
      others.clear();
      const history = element('history', NS.room, { maxstanzas: '0' });
      const join = element('x', NS.room, {}, history);
      connection.send(element('presence', NS.client, { to: `${room}/${nick}` }, join));
      return orAborted(answer.promise, AbortSignal.any([signal, timeLimit(ENTER_MS)]));
    },
    leave(): void {
      connection.send(element('presence', NS.client, { to: `${room}/${nick}`, type: 'unavailable' }));
    },
  };
}

interface Examining {
  readonly connection: Connection;
  readonly entrance: Entrance;
  readonly signal: AbortSignal;
}

/** Why a room does not let the account in, by the condition of its error (XEP-0045, section 7.2), with the cure. */
const refusals: Readonly<Record<string, string>> = {
  'registration-required': 'only members may enter. Make the account a member of the room.',
  forbidden: 'the account is banned. Lift the ban.',
  'not-authorized': 'a password is needed, which the bridge cannot give. Remove it, and admit members only.',
  'service-unavailable': 'the room is full. Raise its limit.',
  'not-allowed': 'the account may not enter. Check the rules of the room and of its server.',
};

/** `correcting`: whether each client in the room that responded supports corrections. */
export async function examineRoom(
  address: string,
  at: Examining,
): Promise<{ readonly finding: Finding; readonly correcting: readonly boolean[] }> {
  const { connection, entrance, signal } = at;
  const what = `XMPP room ${address}`;
  let why = whyUnknown;
  try {
    const { features } = await discover(address, connection, signal);
    why = (condition) => whyOutside(condition, entrance.nick);
    const role = await entrance.enter(address, signal);
    const correcting = await askClients(address, at);
    entrance.leave();
    return { finding: inRoom(what, role, features), correcting };
  } catch (thrown) {
    signal.throwIfAborted();
    const condition = thrown instanceof StanzaError ? thrown.condition : 'no answer';
    return { finding: fault(what, why(condition)), correcting: [] };
  }
}

function inRoom(what: string, role: string, features: ReadonlySet<string>): Finding {
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

function whyOutside(condition: string, nick: string): string {
  if (condition === 'conflict')
    return `someone else has the nickname ${nick}. The bridge uses ${nick}_ meanwhile; choose another xmpp.nick.`;
  return (
    refusals[condition] ?? `the room does not let the account in (${condition}). Check its configuration.`
  );
}

/** Asks the clients in the room whether they support corrections. Leaves out those that do not respond. */
async function askClients(address: string, { connection, entrance, signal }: Examining) {
  const late = AbortSignal.any([signal, timeLimit(CLIENTS_MS)]);
  const asked = [...entrance.others].slice(0, CLIENTS);
  const answers = await Promise.allSettled(
    asked.map((nick) => discover(`${address}/${nick}`, connection, late)),
  );
  return answers.flatMap((each) => (each.status === 'fulfilled' ? each.value.features.has(NS.correct) : []));
}
