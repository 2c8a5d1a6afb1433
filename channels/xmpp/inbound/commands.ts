/**
 * Offers the actions on answers as commands that clients list and run (XEP-0050). What clients do with commands:
 * Gajim shows them for a contact or occupant, and refuses a changed session id (fritzy/SleekXMPP#503); Converse shows
 * notes, but no form in a result (conversejs/converse.js#2240), and failed at forms without actions
 * (conversejs/converse.js#3155); the app Conversations shows no commands (iNPUTmice/Conversations#2532), so people can
 * also send short messages.
 */

import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock, Person, Pressed } from 'parley/kit';
import { bareOf, NS, resourceOf } from '../protocol.ts';
import { words } from '../render/words.ts';
import type { Rooms } from '../rooms.ts';
import { childOf, childrenOf, type Element, element, textOf } from '../stream/xml.ts';
import { type Acting, type Actor, type Form, runAction } from './actions.ts';
import { hasOccupantIds, type PeopleSettings, personOf } from './people.ts';

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

/** Names of the commands, by their nodes. Clients show the names in this order. */
export const commandNames: ReadonlyMap<string, string> = new Map([
  ['new', 'Start a new conversation'],
  ['stop', 'Stop the running answer'],
  ['again', 'Ask again'],
  ['suggestions', 'Ask a suggested question'],
  ['agent', 'Ask another agent'],
  ['sources', 'Show the sources of the last answer'],
  ['feedback', 'Rate the last answer'],
]);

export type Commands = ReturnType<typeof createCommands>;

interface CommandsDeps {
  readonly rooms: Pick<Rooms, 'find'>;
  readonly people: PeopleSettings;
  readonly clock: Clock;
  readonly acting: Acting;
}

/** A form that was sent and not filled in yet. */
interface Session {
  readonly from: string;
  readonly node: string;
  readonly form: Form;
  readonly openedAt: number;
}

export function createCommands(deps: CommandsDeps) {
  const { rooms, people, clock, acting } = deps;
  const sessions = new LRUCache<string, Session>({ max: OPEN });
  const answers = new LRUCache<string, Promise<Element>>({ max: REPEATED, ttl: REPEATED_MS });
  const actorOf = (from: string, key: string): Actor | undefined => {
    const inside = rooms.find(bareOf(from));
    const person = senderOf(from, inside, people);
    return person && { person, room: bareOf(from), kind: inside === undefined ? 'direct' : 'room', key };
  };
  const begin = async (from: string, node: string, key: string): Promise<Element> => {
    const actor = actorOf(from, key);
    if (actor === undefined) return refused('forbidden', undefined, words.whoAreYou);
    const why = acting.refusal(actor);
    if (why !== undefined) return refused('forbidden', undefined, why);
    const result = await runAction(node, actor, acting);
    const id = randomUUID();
    if (!('fields' in result)) return completed(node, id, result);
    sessions.set(id, { from, node, form: result, openedAt: clock.now() });
    return formOf(node, id, result);
  };
  const proceed = async (id: string, from: string, command: Element): Promise<Element> => {
    const { node = '', action } = command.attrs;
    const open = sessions.get(id);
    if (open === undefined || open.from !== from || open.node !== node)
      return refused('bad-request', 'bad-sessionid');
    if (clock.now() - open.openedAt > OPEN_MS) {
      sessions.delete(id);
      return refused('not-allowed', 'session-expired', words.commandExpired);
    }
    if (action === 'prev') return refused('bad-request', 'bad-action');
    sessions.delete(id);
    if (action === 'cancel')
      return element('command', NS.commands, { node, sessionid: id, status: 'canceled' });
    // The rights may have changed since the form was sent.
    const actor = actorOf(from, id);
    if (actor === undefined) return refused('forbidden', undefined, words.whoAreYou);
    return completed(node, id, await open.form.submit(valuesIn(command), actor));
  };
  return {
    /** True if the person at this address may ask an agent, so that commands are listed for them. */
    mayRun(from: string) {
      const actor = actorOf(from, '');
      return actor !== undefined && acting.refusal(actor) === undefined;
    },
    /** Runs a step of a command. Resolves with the content of the response. */
    run(stanza: Element, command: Element) {
      const { id = '', from = '' } = stanza.attrs;
      const { node = '', sessionid } = command.attrs;
      // After a cut connection, the server repeats requests that were not acknowledged.
      const key = JSON.stringify([from, id, node, sessionid]);
      const known = answers.get(key);
      if (known !== undefined) return known;
      if (!commandNames.has(node)) return Promise.resolve(refused('item-not-found'));
      const answer =
        sessionid === undefined
          ? begin(from, node, `${key}-${clock.now()}`)
          : proceed(sessionid, from, command);
      answers.set(key, answer);
      return answer;
    },
  };
}

/** Returns who sent a request. A request through a room comes from the occupant who has the nickname now. */
function senderOf(from: string, room: ReturnType<Rooms['find']>, people: PeopleSettings): Person | undefined {
  if (room === undefined) return personOf({ from, isRoom: false }, room, people);
  const occupant = room.occupants.get(resourceOf(from));
  if (occupant === undefined) return undefined;
  const { occupantId } = occupant;
  const named = hasOccupantIds(room) && occupantId !== undefined ? { occupantId } : {};
  return personOf({ from, isRoom: true, occupant, ...named }, room, people);
}

/** @param detail the condition of XEP-0050, section 5 */
function refused(condition: string, detail?: string, text?: string): Element {
  return element(
    'error',
    NS.client,
    { type: condition === 'bad-request' ? 'modify' : 'cancel' },
    element(condition, NS.stanzas),
    detail === undefined ? undefined : element(detail, NS.commands),
    text === undefined ? undefined : element('text', NS.stanzas, {}, text),
  );
}

function completed(node: string, sessionid: string, { kind, sentence }: Pressed): Element {
  const note = element('note', NS.commands, { type: kind === 'refused' ? 'error' : 'info' }, sentence);
  return element('command', NS.commands, { node, sessionid, status: 'completed' }, note);
}

function formOf(node: string, sessionid: string, { fields }: Form): Element {
  const title = element('title', NS.form, {}, commandNames.get(node) ?? '');
  const form = element('x', NS.form, { type: 'form' }, title, ...fields.map(fieldOf));
  const actions = element('actions', NS.commands, { execute: 'complete' }, element('complete', NS.commands));
  return element('command', NS.commands, { node, sessionid, status: 'executing' }, actions, form);
}

function fieldOf({ name, label, options }: Form['fields'][number]): Element {
  const choices = options?.map(([value, text]) =>
    element('option', NS.form, { label: text }, element('value', NS.form, {}, value)),
  );
  const first = options?.[0] && element('value', NS.form, {}, options[0][0]);
  const type = options === undefined ? 'text-multi' : 'list-single';
  return element('field', NS.form, { var: name, type, label }, first, ...(choices ?? []));
}

/** Returns the values that a person has filled in, by the names of their fields. */
function valuesIn(command: Element): ReadonlyMap<string, string> {
  const form = childOf(command, 'x', NS.form);
  const fields = form === undefined ? [] : childrenOf(form, 'field', NS.form);
  return new Map(
    fields.map((field) => [
      field.attrs.var ?? '',
      childrenOf(field, 'value', NS.form).map(textOf).join('\n'),
    ]),
  );
}
