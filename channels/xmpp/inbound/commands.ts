/**
 * Answers requests of clients and servers: what the account is and can do (XEP-0030), pings, and the actions on answers
 * as commands that clients list and run (XEP-0050). What clients do with commands: Gajim shows them for a contact or
 * occupant, and refuses a changed session id (fritzy/SleekXMPP#503); Converse shows notes, but no form in a result
 * (conversejs/converse.js#2240), and failed at forms without actions (conversejs/converse.js#3155); the app Conversations
 * shows no commands (iNPUTmice/Conversations#2532), so people can also send short messages.
 */

import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pressed } from 'parley/kit/ladder';
import { bareOf, CHANNEL, NS, resourceOf } from '../protocol.ts';
import { words } from '../render/words.ts';
import { hasOccupantIds } from '../rooms.ts';
import type { Connection } from '../stream/connection.ts';
import { childOf, childrenOf, type Element, element, textOf } from '../stream/xml.ts';
import { type Acting, type Actor, commands, type Form, runCommand, submit } from './actions.ts';
import { personOf } from './people.ts';

/** Time for which a form may be filled in, in milliseconds. */
const OPEN_MS = 10 * 60_000;
/** Maximum number of open forms. */
const OPEN = 1_000;
/**
 * Time for which a response is kept, in milliseconds, and maximum number of kept responses. If the server repeats a
 * request, it gets the kept response.
 */
const REPEATED_MS = 60_000;
const REPEATED = 1_000;

/** Features that the account supports (XEP-0030). By the identity, other programs see that the account is a program. */
const FEATURES = [
  NS.discoInfo,
  NS.discoItems,
  NS.ping,
  NS.receipts,
  NS.correct,
  NS.chatState,
  NS.reactions,
  NS.reply,
  NS.retract,
  NS.commands,
];

/** A form that was sent and not filled in yet. */
interface Session {
  readonly from: string;
  readonly node: string;
  readonly form: Form;
  readonly openedAt: number;
}

export class Commands {
  readonly #connection: Pick<Connection, 'jid'>;
  readonly #acting: Acting;
  readonly #sessions = new LRUCache<string, Session>({ max: OPEN });
  readonly #answers = new LRUCache<string, Promise<Element>>({ max: REPEATED, ttl: REPEATED_MS });

  constructor(connection: Pick<Connection, 'jid'>, acting: Acting) {
    this.#connection = connection;
    this.#acting = acting;
  }

  /** Resolves with the response to a request; undefined for a stanza that needs none. */
  async answer(stanza: Element): Promise<Element | undefined> {
    const { id, from = '', type } = stanza.attrs;
    if (type !== 'get' && type !== 'set') return undefined;
    const content = type === 'get' ? this.#look(stanza, from) : await this.#run(stanza, from);
    const isRefused = content?.name === 'error';
    return element('iq', NS.client, { id, to: from, type: isRefused ? 'error' : 'result' }, content);
  }

  /** Returns what the account is and offers. Refuses unknown requests, as RFC 6120 demands. */
  #look(stanza: Element, from: string): Element | undefined {
    if (childOf(stanza, 'ping', NS.ping) !== undefined) return undefined;
    const info = childOf(stanza, 'query', NS.discoInfo);
    if (info !== undefined) return infoOf(info.attrs.node);
    const items = childOf(stanza, 'query', NS.discoItems);
    return items === undefined ? refused('service-unavailable') : this.#list(from, items.attrs.node);
  }

  /** Returns the list of commands. The list is empty for any other node, and for a person who may not run commands. */
  #list(from: string, node: string | undefined): Element {
    // `jid` is the address at which a client runs a command. In a room, it is the bridge's address in this room.
    const room = resourceOf(from) === '' ? undefined : this.#acting.rooms.find(bareOf(from));
    const jid = room === undefined ? this.#connection.jid() : `${room.address}/${room.nick}`;
    const isListed = node === NS.commands && this.#refusalOf(this.#actorOf(from, '')) === undefined;
    const items = [...(isListed ? commands : [])].map(([each, { name }]) =>
      element('item', NS.discoItems, { jid, node: each, name }),
    );
    return element('query', NS.discoItems, { node }, ...items);
  }

  /** Runs a step of a command. */
  async #run(stanza: Element, from: string): Promise<Element> {
    const command = childOf(stanza, 'command', NS.commands);
    if (command === undefined) return refused('service-unavailable');
    const { node = '', sessionid } = command.attrs;
    // After a cut connection, the server repeats requests that were not acknowledged.
    const key = JSON.stringify([from, stanza.attrs.id, node, sessionid]);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    if (!commands.has(node)) return refused('item-not-found');
    const answer =
      sessionid === undefined
        ? this.#begin(from, node, `${key}-${this.#acting.host.clock.now()}`)
        : this.#proceed(sessionid, from, command);
    this.#answers.set(key, answer);
    return answer;
  }

  #actorOf(from: string, key: string): Actor | undefined {
    const room = this.#acting.rooms.find(bareOf(from));
    // A request through a room comes from the occupant who has the nickname now.
    const occupant = room?.occupants.get(resourceOf(from));
    const occupantId = hasOccupantIds(room) ? occupant?.occupantId : undefined;
    const person = personOf({ from, room, occupant, occupantId }, this.#acting);
    return person && { person, room: bareOf(from), kind: room === undefined ? 'direct' : 'room', key };
  }

  /** Returns why the person may not ask here; undefined if they may. */
  #refusalOf(actor: Actor | undefined): string | undefined {
    if (actor === undefined) return words.whoAreYou;
    const { host, tenant } = this.#acting;
    const { person, room, kind } = actor;
    return host.refusal(person, 'ask', { channel: CHANNEL, tenant, room, kind });
  }

  async #begin(from: string, node: string, key: string): Promise<Element> {
    const actor = this.#actorOf(from, key);
    const why = this.#refusalOf(actor);
    if (actor === undefined || why !== undefined) return refused('forbidden', undefined, why);
    const result = await runCommand(node, actor, this.#acting);
    const id = randomUUID();
    if (!('options' in result)) return completed(node, id, result);
    this.#sessions.set(id, { from, node, form: result, openedAt: this.#acting.host.clock.now() });
    return formOf(node, id, result);
  }

  async #proceed(id: string, from: string, command: Element): Promise<Element> {
    const { node = '', action } = command.attrs;
    const open = this.#sessions.get(id);
    if (open === undefined || open.from !== from || open.node !== node)
      return refused('bad-request', 'bad-sessionid');
    if (action === 'prev') return refused('bad-request', 'bad-action');
    this.#sessions.delete(id);
    if (this.#acting.host.clock.now() - open.openedAt > OPEN_MS)
      return refused('not-allowed', 'session-expired', words.commandExpired);
    if (action === 'cancel') return response(node, id, 'canceled');
    // The rights may have changed since the form was sent, so the action checks them.
    const actor = this.#actorOf(from, id);
    if (actor === undefined) return refused('forbidden', undefined, words.whoAreYou);
    return completed(node, id, await submit(open.form, valuesIn(command), actor, this.#acting));
  }
}

function infoOf(node: string | undefined): Element {
  const name = commands.get(node ?? '')?.name;
  const isCommand = node === NS.commands || name !== undefined;
  const identity = isCommand
    ? { category: 'automation', type: name === undefined ? 'command-list' : 'command-node', name }
    : { category: 'client', type: 'bot', name: 'Parley' };
  const features = (isCommand ? [NS.commands, NS.form] : FEATURES).map((each) =>
    element('feature', NS.discoInfo, { var: each }),
  );
  return element('query', NS.discoInfo, { node }, element('identity', NS.discoInfo, identity), ...features);
}

/** @param detail the condition of XEP-0050, section 5 */
const refused = (condition: string, detail?: string, text?: string): Element =>
  element(
    'error',
    NS.client,
    { type: condition === 'bad-request' ? 'modify' : 'cancel' },
    element(condition, NS.stanzas),
    detail === undefined ? undefined : element(detail, NS.commands),
    text === undefined ? undefined : element('text', NS.stanzas, {}, text),
  );

const response = (node: string, sessionid: string, status: string, ...content: readonly Element[]): Element =>
  element('command', NS.commands, { node, sessionid, status }, ...content);

function completed(node: string, id: string, { kind, sentence }: Pressed): Element {
  const type = kind === 'refused' ? 'error' : 'info';
  return response(node, id, 'completed', element('note', NS.commands, { type }, sentence));
}

function formOf(node: string, id: string, { action, name, label, options }: Form): Element {
  const valueIn = (value: string) => element('value', NS.form, {}, value);
  const field = (name: string, type: string, label: string, ...content: readonly Element[]) =>
    element('field', NS.form, { var: name, type, label }, ...content);
  const title = element('title', NS.form, {}, commands.get(node)?.name);
  const first = options.slice(0, 1).map(([value]) => valueIn(value));
  const choices = options.map(([value, text]) => element('option', NS.form, { label: text }, valueIn(value)));
  const choice = field(name, 'list-single', label, ...first, ...choices);
  const note = action === 'feedback' ? field('note', 'text-multi', words.note) : undefined;
  const form = element('x', NS.form, { type: 'form' }, title, choice, note);
  const actions = element('actions', NS.commands, { execute: 'complete' }, element('complete', NS.commands));
  return response(node, id, 'executing', actions, form);
}

/** Returns the values that a person has filled in, by the names of their fields. */
const valuesIn = (command: Element): ReadonlyMap<string, string> =>
  new Map(
    childrenOf(childOf(command, 'x', NS.form), 'field', NS.form).map((field) => [
      field.attrs.var ?? '',
      childrenOf(field, 'value', NS.form).map(textOf).join('\n'),
    ]),
  );
