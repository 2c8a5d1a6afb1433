/** Answers requests of clients and servers: what the account is and can do (XEP-0030), pings, and commands. */

import { bareOf, NS, resourceOf } from '../protocol.ts';
import type { Rooms } from '../rooms.ts';
import { type Connection, sendIfOnline } from '../stream/connection.ts';
import { childOf, type Element, element } from '../stream/xml.ts';
import { type Commands, commandNames } from './commands.ts';

export interface RequestDeps {
  readonly connection: () => Connection;
  readonly rooms: Pick<Rooms, 'find'>;
  readonly commands: Commands;
}

/** Features that the account supports (XEP-0030). By the identity, other programs see that the account is a program. */
const FEATURES = [
  ...[NS.discoInfo, NS.discoItems, NS.ping, NS.receipts, NS.correct, NS.chatState, NS.reactions],
  ...[NS.reply, NS.retract, NS.commands],
];

/** Answers a request. Refuses unknown requests, as RFC 6120 demands. */
export async function answerRequest(stanza: Element, deps: RequestDeps): Promise<void> {
  const { id, from, type } = stanza.attrs;
  if (type !== 'get' && type !== 'set') return;
  const content = await contentOf(stanza, deps);
  const isRefused = content?.name === 'error';
  const answer = element('iq', NS.client, { id, to: from, type: isRefused ? 'error' : 'result' }, content);
  sendIfOnline(deps.connection(), answer);
}

/** Resolves with the content of the response: an error if the request is refused; undefined if it is empty. */
async function contentOf(stanza: Element, deps: RequestDeps): Promise<Element | undefined> {
  const { type } = stanza.attrs;
  const command = childOf(stanza, 'command', NS.commands);
  if (type === 'set')
    return command === undefined ? refusal('service-unavailable') : deps.commands.run(stanza, command);
  if (childOf(stanza, 'ping', NS.ping) !== undefined) return undefined;
  const info = childOf(stanza, 'query', NS.discoInfo);
  if (info !== undefined) return infoOf(info.attrs.node);
  const items = childOf(stanza, 'query', NS.discoItems);
  return items === undefined ? refusal('service-unavailable') : itemsOf(stanza, items.attrs.node, deps);
}

const refusal = (condition: string): Element =>
  element('error', NS.client, { type: 'cancel' }, element(condition, NS.stanzas));

function infoOf(node: string | undefined): Element {
  const name = commandNames.get(node ?? '');
  if (node === NS.commands || name !== undefined) {
    const type = name === undefined ? 'command-list' : 'command-node';
    const identity = element('identity', NS.discoInfo, { category: 'automation', type, name });
    const features = [NS.commands, NS.form].map((each) => element('feature', NS.discoInfo, { var: each }));
    return element('query', NS.discoInfo, { node }, identity, ...features);
  }
  const identity = element('identity', NS.discoInfo, { category: 'client', type: 'bot', name: 'Parley' });
  const features = FEATURES.map((each) => element('feature', NS.discoInfo, { var: each }));
  return element('query', NS.discoInfo, { node }, identity, ...features);
}

/** Returns the list of commands. The list is empty for any other node, and for a person who may not run commands. */
function itemsOf(stanza: Element, node: string | undefined, deps: RequestDeps): Element {
  const { from = '' } = stanza.attrs;
  const isListed = node === NS.commands && deps.commands.mayRun(from);
  // `jid` is the address at which a client runs a command. In a room, it is the bridge's address in this room.
  const room = deps.rooms.find(bareOf(from));
  const isInRoom = room !== undefined && resourceOf(from) !== '';
  const jid = isInRoom ? `${room.address}/${room.nick}` : deps.connection().jid();
  const items = isListed
    ? [...commandNames].map(([each, name]) => element('item', NS.discoItems, { jid, node: each, name }))
    : [];
  return element('query', NS.discoItems, { node }, ...items);
}
