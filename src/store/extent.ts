/** Decides which stored data belongs to a target that is forgotten. */

import type { ForgetTarget } from '../core/stores/forgetting.ts';
import { NAMES } from '../core/stores/people-names.ts';
import { idOf, objectOf, type Row, textOf, turnOf } from './turn-rows.ts';

/** Returns the beginning of the JSON texts, such as lanes, that begin with these words. */
export const startOf = (...words: readonly string[]): string => `${JSON.stringify(words).slice(0, -1)},`;

/**
 * True if the row's turn belongs to the target: it is in the target's thread or workspace, or the target asked or
 * caused it.
 */
export function belongs(row: Row, target: ForgetTarget): boolean {
  const turn = turnOf({ ...row, state: 'answered' });
  if (turn === undefined) return false;
  const { thread, sender } = turn.message;
  if (thread.channel !== target.channel) return false;
  if (target.tenant !== undefined && thread.tenant !== target.tenant) return false;
  if (target.kind === 'person')
    return sender.id === target.person || ('by' in turn.origin && turn.origin.by === target.person);
  if (target.room !== undefined && thread.room !== target.room) return false;
  return target.kind === 'tenant' || thread.key === target.thread;
}

/** A row of `keyed`. `owner` is the JSON object of `owners.ts`; null if an earlier version stored the value. */
export interface Entry {
  readonly namespace: string;
  readonly key: string;
  readonly owner: unknown;
}

/** Namespace of the people's questions in the last minute. The values name the rooms. */
const RATES = 'rates';
const SESSIONS = 'sessions';

/** The turns and threads of a target. */
export class Extent {
  readonly target: ForgetTarget;
  /** Ids of the deleted turns. */
  readonly ids = new Set<string>();
  /** Ids of replies whose question is deleted. Every turn of these replies is deleted. */
  readonly replies = new Set<string>();
  /** Threads that are deleted as a whole, and threads of which only the person's part is deleted. */
  readonly #whole = new Map<string, Place>();
  readonly #shared = new Set<string>();
  /** People who asked in a direct chat. */
  readonly #people = new Set<string>();

  constructor(target: ForgetTarget) {
    this.target = target;
    if (target.kind === 'thread') this.#addThread(target, 'direct');
  }

  /** Adds a row of `turns` for which `belongs` is true. */
  addTurn(row: Row): void {
    const turn = turnOf({ ...row, state: 'answered' });
    this.ids.add(idOf(row));
    if (row.reply === row.id || this.target.kind !== 'person') this.replies.add(textOf(row.reply));
    if (turn === undefined) return;
    const { thread, sender } = turn.message;
    this.#addThread({ ...thread, thread: thread.key }, thread.kind);
    if (thread.kind === 'direct') this.#people.add(sender.id);
  }

  /** Adds a record of the audit. Needed because turns are deleted long before their records. */
  addRecord({ turn, tenant, room, thread, facts }: Row): void {
    if (typeof turn === 'string') this.ids.add(turn);
    if (room === null || thread === null) return;
    const place = { tenant: textOf(tenant), room: textOf(room), thread: textOf(thread) };
    this.#addThread(place, isDirect(facts) ? 'direct' : 'room');
  }

  #addThread({ tenant, room, thread }: Place, kind: string): void {
    if (kind === 'direct') this.#whole.set(placeKey({ tenant, room, thread }), { tenant, room, thread });
    else this.#shared.add(placeKey({ tenant, room, thread }));
  }

  /** Decides what to delete of a value. `part`: only what `without` removes. */
  verdict({ namespace, key, owner }: Entry): 'delete' | 'part' | 'keep' {
    const { target } = this;
    const about = objectOf(owner);
    if (about === undefined) return this.#verdictOfKey(namespace, key);
    if (this.ids.has(textOf(about.turn))) return 'delete';
    if (about.channel !== target.channel) return 'keep';
    if (about.several !== undefined) return 'part';
    if (target.tenant !== undefined && about.tenant !== target.tenant) return 'keep';
    const person = textOf(about.person);
    if (target.kind === 'tenant') {
      const isInside = target.room === undefined || about.room === target.room;
      if (isInside || (namespace === NAMES && this.#people.has(person))) return 'delete';
      return namespace === RATES ? 'part' : 'keep';
    }
    const place = placeKey(about);
    if (this.#whole.has(place)) return 'delete';
    if (target.kind === 'thread') return 'keep';
    if (person !== '') return person === target.person ? 'delete' : 'keep';
    // The room of a direct chat, or the key of a private thread, may be the id of the person.
    if (about.room === target.person || hasWord(textOf(about.thread), target.person)) return 'delete';
    return namespace !== SESSIONS || this.#shared.has(place) ? 'part' : 'keep';
  }

  /**
   * Decides about a value of an earlier version, which has no owner, by the words of its key. In doubt, deletes the value:
   * such values expire.
   */
  #verdictOfKey(namespace: string, key: string): ReturnType<Extent['verdict']> {
    const { target } = this;
    const { channel, tenant, kind } = target;
    if (TURN_ID.exec(key)?.some((id) => this.ids.has(id))) return 'delete';
    if (!namespace.endsWith(` ${channel}`) && !hasWord(key, channel)) return 'keep';
    if (tenant !== undefined && !hasWord(key, tenant)) return 'keep';
    if (kind === 'tenant') {
      const isInside = target.room === undefined || hasWord(key, target.room);
      const isOfPerson = namespace === NAMES && [...this.#people].some((each) => hasWord(key, each));
      if (isInside || isOfPerson) return 'delete';
      return namespace === RATES ? 'part' : 'keep';
    }
    const isWhole = [...this.#whole.values()].some((place) =>
      Object.values(place).every((word) => hasWord(key, word)),
    );
    if (
      isWhole ||
      (kind === 'person' && (hasWord(key, target.person) || hasWord(key, `of ${target.person}`)))
    )
      return 'delete';
    const isShared = namespace.endsWith(` ${channel}`) || namespace === SESSIONS || namespace === 'threads';
    return kind === 'person' && isShared ? 'part' : 'keep';
  }

  /** Returns the value without what names the target; the same value if nothing does, and undefined if nothing is left. */
  without(entry: Entry, value: unknown): unknown {
    const isNamed = (each: unknown) => this.#isNamed(each, entry);
    if (Array.isArray(value)) return withoutNamed(value, isNamed);
    if (!isPlain(value)) return value;
    const { namespace } = entry;
    const isOwn = Object.values(value).some(
      (each) => this.ids.has(textOf(each)) || (this.target.kind === 'person' && each === this.target.person),
    );
    if (isOwn && namespace !== SESSIONS) return undefined;
    const left = Object.fromEntries(
      Object.entries(value).map(([name, each]): [string, unknown] => [
        name,
        Array.isArray(each) ? (withoutNamed(each, isNamed) ?? []) : each,
      ]),
    );
    if (Object.entries(value).every(([name, each]) => left[name] === each)) return value;
    if (namespace !== SESSIONS) return left;
    // Drop the conversation's id, so that the agent does not continue a conversation that contains what the person said.
    const { history } = left;
    return Array.isArray(history) && history.length > 0 ? { history } : undefined;
  }

  /** True if an element of a list names one of the deleted turns, or the person, the room or the thread. */
  #isNamed(element: unknown, { namespace, owner }: Entry): boolean {
    const texts = textsIn(element);
    if (texts.some((text) => this.ids.has(text))) return true;
    if (namespace === SESSIONS) return false;
    const { kind: _, channel: _c, tenant, ...words } = this.target;
    // The other owners name the tenant, so the elements need not.
    const isOfSeveral = objectOf(owner)?.several !== undefined;
    return [...(isOfSeveral ? [tenant] : []), ...Object.values(words)].every(
      (word) => word === undefined || texts.some((text) => hasWord(text, word)),
    );
  }
}

interface Place {
  readonly tenant: string;
  readonly room: string;
  readonly thread: string;
}

const placeKey = ({ tenant, room, thread }: { readonly [Name in keyof Place]?: unknown }): string =>
  JSON.stringify([tenant, room, thread]);

/** Matches the id of a turn in a key. */
const TURN_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/**
 * True if the text contains the word, as a JSON text or between characters that are neither letters nor digits. If
 * the word is an address, `.` and the like do not end it: `ada@example.org` is not in `x.ada@example.org`.
 */
export function hasWord(text: string, word: string): boolean {
  if (text.split(' ').includes(word) || text.includes(JSON.stringify(word))) return true;
  if (!/[\p{L}\p{N}]/u.test(word)) return false;
  const isInside = (around: string) =>
    (word.includes('@') ? /[\p{L}\p{N}.@+_-]/u : /[\p{L}\p{N}]/u).test(around);
  const forms = new Set([word, JSON.stringify(word).slice(1, -1), encodeURIComponent(word)]);
  return [...forms].some((form) => {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      const around = [text.charAt(at - 1), text.charAt(at + form.length)];
      if (!around.some((each) => each !== '' && isInside(each))) return true;
    }
    return false;
  });
}

/** Returns the texts in a value, at any depth. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Returns the list without the named elements: the same list if there are none, and undefined if nothing is left. */
function withoutNamed(list: readonly unknown[], isNamed: (element: unknown) => boolean): unknown {
  const others = list.filter((each) => !isNamed(each));
  if (others.length === list.length) return list;
  return others.length > 0 ? others : undefined;
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if an audit record is about a direct message, whose room and thread would identify the person. */
export const isDirect = (facts: unknown): boolean => textOf(facts).includes('"kind":"direct"');
