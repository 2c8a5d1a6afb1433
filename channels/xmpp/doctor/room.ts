/** Findings about a room: whether the account may enter and speak there, and recognizes people. */

import { type Finding, timeLimit } from 'parley/kit';
import { orAborted } from 'parley/kit/ladder';
import { bareOf, NS, resourceOf } from '../protocol.ts';
import { type Connection, errorIn, StanzaError } from '../stream/connection.ts';
import { childOf, childrenOf, type Element, element } from '../stream/xml.ts';
import { fault, good } from './login.ts';

/** Maximum milliseconds until the room lets the account in, and until the clients in the room respond. */
const ENTER_MS = 10_000;
const CLIENTS_MS = 2_000;
/** Maximum number of clients that are asked in a room. */
const CLIENTS = 10;

/** The account's own presence in a room, or the error with which the room refuses it. */
export type Entrance = ReturnType<typeof createEntrance>;

export function createEntrance(nick: string) {
  const waiting = new Map<string, PromiseWithResolvers<string>>();
  const inside = new Map<string, Set<string>>();
  return {
    nick,
    presence(stanza: Element) {
      const { from = '', type } = stanza.attrs;
      const answer = waiting.get(bareOf(from));
      if (stanza.name !== 'presence' || answer === undefined || type === 'unavailable') return;
      if (type === 'error') return answer.reject(errorIn(stanza));
      const user = childOf(stanza, 'x', NS.roomUser);
      const codes = user === undefined ? [] : childrenOf(user, 'status', NS.roomUser);
      if (!codes.some(({ attrs }) => attrs.code === '110')) inside.get(bareOf(from))?.add(resourceOf(from));
      else answer.resolve((user && childOf(user, 'item', NS.roomUser)?.attrs.role) ?? '');
    },
    /** Nicknames of the others in the room. */
    others: (room: string) => [...(inside.get(room) ?? [])].filter((each) => each !== nick),
    /** Resolves with the account's role in the room. Rejects with `StanzaError`. */
    async enter(room: string, connection: Connection, signal: AbortSignal) {
      const answer = Promise.withResolvers<string>();
      waiting.set(room, answer);
      inside.set(room, new Set());
      const history = element('history', NS.room, { maxstanzas: '0' });
      const join = element('x', NS.room, {}, history);
      connection.send(element('presence', NS.client, { to: `${room}/${nick}` }, join));
      return orAborted(answer.promise, AbortSignal.any([signal, timeLimit(ENTER_MS)]));
    },
  };
}

interface Examined {
  readonly findings: readonly Finding[];
  /** Numbers of clients in the room that know corrections, and that do not. */
  readonly correcting: number;
  readonly notCorrecting: number;
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

export async function examineRoom(address: string, at: Examining): Promise<Examined> {
  const what = `XMPP room ${address}`;
  const none = { correcting: 0, notCorrecting: 0 };
  let features: ReadonlySet<string>;
  try {
    features = await featuresOf(address, at);
  } catch (thrown) {
    at.signal.throwIfAborted();
    return { ...none, findings: [fault(what, whyUnknown(thrown))] };
  }
  let role: string;
  try {
    role = await at.entrance.enter(address, at.connection, at.signal);
  } catch (thrown) {
    at.signal.throwIfAborted();
    return { ...none, findings: [fault(what, whyOutside(thrown, at.entrance.nick))] };
  }
  const clients = await askClients(address, at);
  at.connection.send(
    element('presence', NS.client, { to: `${address}/${at.entrance.nick}`, type: 'unavailable' }),
  );
  return { ...clients, findings: [inRoom(what, role, features)] };
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
  if (!features.has(NS.archive)) {
    const lost = 'After an outage, messages that people wrote meanwhile are not answered.';
    return fault(
      what,
      `the room has no archive (XEP-0313). ${lost} Switch on muc_mam in prosody, mod_mam in ejabberd.`,
    );
  }
  return good(
    what,
    seesPeople ? 'joined; people are known by their addresses' : 'joined; people are known by occupant ids',
  );
}

function whyUnknown(thrown: unknown): string {
  const condition = thrown instanceof StanzaError ? thrown.condition : 'no answer';
  const isMissing = condition === 'item-not-found' || condition === 'gone';
  return isMissing
    ? 'the room does not exist. Create it, or correct xmpp.rooms.'
    : `the room's server does not answer for it (${condition}). Check the address in xmpp.rooms.`;
}

function whyOutside(thrown: unknown, nick: string): string {
  const condition = thrown instanceof StanzaError ? thrown.condition : 'no answer';
  if (condition === 'conflict')
    return `someone else has the nickname ${nick}. The bridge uses ${nick}_ meanwhile; choose another xmpp.nick.`;
  return (
    refusals[condition] ?? `the room does not let the account in (${condition}). Check its configuration.`
  );
}

/** Resolves with the features of an address (XEP-0030). Rejects with `StanzaError`. */
export async function featuresOf(
  address: string,
  { connection, signal }: Pick<Examining, 'connection' | 'signal'>,
): Promise<ReadonlySet<string>> {
  const answer = await connection.request('get', address, element('query', NS.discoInfo), signal);
  const query = childOf(answer, 'query', NS.discoInfo);
  const features = query === undefined ? [] : childrenOf(query, 'feature', NS.discoInfo);
  return new Set(features.flatMap(({ attrs }) => attrs.var ?? []));
}

/** Asks the clients in the room whether they know corrections. Clients that do not respond are in neither count. */
async function askClients(address: string, at: Examining): Promise<Omit<Examined, 'findings'>> {
  const signal = AbortSignal.any([at.signal, timeLimit(CLIENTS_MS)]);
  const asked = at.entrance.others(address).slice(0, CLIENTS);
  const answers = await Promise.all(
    asked.map((nick) => featuresOf(`${address}/${nick}`, { ...at, signal }).catch(() => undefined)),
  );
  const known = answers.filter((features) => features !== undefined);
  const correcting = known.filter((features) => features.has(NS.correct)).length;
  return { correcting, notCorrecting: known.length - correcting };
}
