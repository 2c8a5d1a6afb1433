/** Names of the XMPP extensions that the channel uses, and functions for addresses and messages. */

import { randomBytes } from 'node:crypto';
import type { ThreadRef } from 'parley/kit';
import type { Requests } from './stream/connection.ts';
import { CLIENT } from './stream/wire.ts';
import { type Child, childOf, childrenOf, type Element, element } from './stream/xml.ts';

export const CHANNEL = 'xmpp';

export const NS = {
  client: CLIENT,
  archive: 'urn:xmpp:mam:2',
  attach: 'jabber:x:oob',
  chatState: 'http://jabber.org/protocol/chatstates',
  commands: 'http://jabber.org/protocol/commands',
  correct: 'urn:xmpp:message-correct:0',
  delay: 'urn:xmpp:delay',
  discoInfo: 'http://jabber.org/protocol/disco#info',
  discoItems: 'http://jabber.org/protocol/disco#items',
  fallback: 'urn:xmpp:fallback:0',
  fileMetadata: 'urn:xmpp:file:metadata:0',
  files: 'urn:xmpp:sfs:0',
  form: 'jabber:x:data',
  forward: 'urn:xmpp:forward:0',
  hints: 'urn:xmpp:hints',
  moderate: 'urn:xmpp:message-moderate:1',
  occupant: 'urn:xmpp:occupant-id:0',
  pages: 'http://jabber.org/protocol/rsm',
  ping: 'urn:xmpp:ping',
  reactions: 'urn:xmpp:reactions:0',
  receipts: 'urn:xmpp:receipts',
  reference: 'urn:xmpp:reference:0',
  reply: 'urn:xmpp:reply:0',
  retract: 'urn:xmpp:message-retract:1',
  room: 'http://jabber.org/protocol/muc',
  roomOwner: 'http://jabber.org/protocol/muc#owner',
  roomUser: 'http://jabber.org/protocol/muc#user',
  stanzas: 'urn:ietf:params:xml:ns:xmpp-stanzas',
  stanzaId: 'urn:xmpp:sid:0',
  upload: 'urn:xmpp:http:upload:0',
  urlData: 'http://jabber.org/protocol/url-data',
} as const;

export const bareOf = (address: string): string => address.replace(/\/.*$/s, '');
export const resourceOf = (address: string): string => {
  const slash = address.indexOf('/');
  return slash < 0 ? '' : address.slice(slash + 1);
};
export const domainOf = (address: string): string => bareOf(address).replace(/^.*@/s, '');

/** Key of a direct chat's conversation if the client names no thread. */
export const CHAT = 'chat';

/** A message to the room or person of a thread. */
export function messageTo({ room, kind, key }: ThreadRef, id: string, ...content: readonly Child[]): Element {
  const type = kind === 'direct' ? 'chat' : 'groupchat';
  const thread = key === CHAT ? undefined : element('thread', NS.client, {}, key);
  const origin = element('origin-id', NS.stanzaId, { id });
  return element('message', NS.client, { type, to: room, id }, ...content, thread, origin);
}

/** Returns a new id for a message. */
export const newId = (mark = 'parley-'): string => `${mark}${randomBytes(9).toString('base64url')}`;

/**
 * Returns how the id of a message of an answer begins. It names the reply and the message's place in it, so that a
 * look-up in the archive recognizes the message. Must not change, because archives contain it.
 * @param key the key of the message, such as `t1/0`
 */
export const markOf = (key: string): string => `parley.${key.replace(/\/([^/]*)$/, '.$1')}.`;

/** Resolves with what an address says about itself (XEP-0030). Rejects as `Connection.request` does. */
export async function discover(address: string, connection: Requests, signal: AbortSignal) {
  const answer = await connection.request('get', address, element('query', NS.discoInfo), signal);
  const query = childOf(answer, 'query', NS.discoInfo);
  const features = childrenOf(query, 'feature', NS.discoInfo).flatMap(({ attrs }) => attrs.var ?? []);
  return { query, features: new Set(features) };
}
