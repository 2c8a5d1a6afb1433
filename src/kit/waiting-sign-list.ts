/**
 * The stored list of questions with a waiting sign, such as a reaction. An entry is stored before its sign is posted,
 * so that a later process can remove the sign. The list also contains messages that must be deleted later.
 */

import { z } from 'zod';
import type { AdapterHost } from '../core/channel/host.ts';
import { type TurnId, turnId } from '../core/ids.ts';
import { createOutbox } from './outbox.ts';

const MINUTE_MS = 60_000;
/**
 * Milliseconds for which a call of unknown outcome may still take effect: the maximum duration of a call to the
 * channel.
 */
export const LATE_MS = 10_000;

const stored = z.object({
  tenant: z.string().min(1),
  room: z.string().min(1),
  /**
   * Id of a message, unique in the room: if `notBefore` is set, of the message that must be deleted later; otherwise,
   * of the question's message.
   */
  on: z.string().min(1),
  /** The turn that waits. */
  turn: z.string().min(1).transform(turnId),
  putAt: z.int().min(0),
  /** Id of the sign, if the sign is a message and its id is known. */
  id: z.string().min(1).exactOptional(),
  /** Key of the thread in which to search for the sign. Set if the sign's id is unknown. */
  thread: z.string().min(1).exactOptional(),
  /** Set for a message that must be deleted later: the earliest time at which the channel can delete it. */
  notBefore: z.int().min(0).exactOptional(),
});

export type WaitingSign = Readonly<z.output<typeof stored>>;

type Place = Pick<WaitingSign, 'tenant' | 'room' | 'on'>;

/** A stored sign, as far as this process knows it. */
export interface Sign {
  entry: WaitingSign;
  /** The process that posted the sign: this one, one that ended before this one started, or one that may still run. */
  by: 'own' | 'earlier' | 'other';
  /** The turn that no longer waits. Its sign is kept if an edit has given the sign to a newer turn meanwhile. */
  endedTurn?: TurnId | undefined;
  /** True while the sign is stored, posted or removed. */
  busy: boolean;
  /** Time after which the call that posts the sign can no longer take effect. */
  quietAt: number;
  /** Earliest time of the next attempt to remove the sign. */
  dueAt: number;
  failures: number;
}

export interface SignListDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'clock' | 'log'>;
  /** Key under which the list is stored. */
  readonly key: string;
  /** Maximum number of signs that can be removed per minute in one tenant. */
  readonly perMinute: number;
}

/**
 * The stored signs. They are also kept in memory, so that they can be removed even if the store is down. The memory has
 * the signs of other processes as of the last `refresh`.
 */
export class SignList {
  readonly #deps: SignListDeps;
  readonly #outbox: ReturnType<typeof createOutbox<WaitingSign>>;
  readonly #signs = new Map<string, Sign>();
  /** The removals of the last minute, oldest first. */
  readonly #removed: { readonly tenant: string; readonly at: number }[] = [];

  constructor(deps: SignListDeps) {
    this.#deps = deps;
    this.#outbox = createOutbox<WaitingSign>(deps.host.state, deps.key, {
      decode: (value) => stored.safeParse(value).data,
      idOf: placeOf,
      hasRoom: (entry, entries) => this.#hasRoom(entry, entries),
    });
  }

  all(): readonly Sign[] {
    return [...this.#signs.values()];
  }

  at(place: Place): Sign | undefined {
    return this.#signs.get(placeOf(place));
  }

  /** Reads the list again, because other processes may have changed it. */
  async refresh(by: Sign['by'] = 'other'): Promise<void> {
    const entries = new Map((await this.#outbox.all()).map((entry) => [placeOf(entry), entry]));
    for (const [place, sign] of this.#signs)
      if (sign.by !== 'own' && !entries.has(place)) this.#signs.delete(place);
    for (const entry of entries.values()) {
      const sign = this.at(entry) ?? this.#know(entry, by);
      if (sign.by !== 'own') sign.entry = entry;
    }
  }

  /**
   * Resolves with the sign once its entry is on disk. The sign is busy until the caller changes that. Resolves with
   * undefined if the list is full. If another process has stored an entry for the same message, gives that entry to the
   * new turn, because only the stored id of the sign allows removing it. Rejects with `store-unavailable` without adding
   * the entry.
   */
  async add(entry: WaitingSign): Promise<Sign | undefined> {
    const known = this.all().map((sign) => sign.entry);
    if (!this.#hasRoom(entry, known)) return undefined;
    const sign = this.#know(entry, 'own');
    let stored: WaitingSign | undefined;
    try {
      stored = await this.#outbox.put(entry, (known) => ({ ...entry, ...known, turn: entry.turn }));
    } finally {
      if (stored === undefined) this.#signs.delete(placeOf(entry));
    }
    if (stored === undefined) return undefined;
    if (stored !== entry) {
      sign.by = 'other';
      sign.entry = { ...stored, turn: sign.entry.turn };
    }
    return sign;
  }

  /** Stores the sign's id in its entry, or gives the entry to another turn. Does nothing if the sign was removed. */
  async update(sign: Sign, change: Pick<WaitingSign, 'turn'> | Required<Pick<WaitingSign, 'id'>>) {
    if (this.at(sign.entry) !== sign) return;
    sign.entry = { ...sign.entry, ...change };
    await this.#outbox.put(sign.entry, (known) => ({ ...known, ...change }));
  }

  async remove(sign: Sign): Promise<void> {
    const { entry } = sign;
    if (this.at(entry) !== sign) return;
    this.#signs.delete(placeOf(entry));
    this.#removed.push({ tenant: entry.tenant, at: this.#deps.host.clock.now() });
    // Another process may have posted a new sign meanwhile.
    await this.#outbox.remove(placeOf(entry), ({ putAt }) => putAt === entry.putAt);
  }

  /**
   * Adds the sign to the memory. If this process did not post it, assumes that another one has just tried to post it, so
   * that the sign may still appear.
   */
  #know(entry: WaitingSign, by: Sign['by']): Sign {
    const { notBefore } = entry;
    const quietAt = notBefore ?? this.#deps.host.clock.now() + LATE_MS;
    const sign = { entry, by, busy: by === 'own', quietAt, dueAt: notBefore ?? 0, failures: 0 };
    this.#signs.set(placeOf(entry), sign);
    return sign;
  }

  /** Returns false if the workspace has as many signs as can be removed in a minute. */
  #hasRoom({ tenant }: WaitingSign, entries: readonly WaitingSign[]): boolean {
    const { host, perMinute } = this.#deps;
    const removed = this.#removed;
    while (removed[0] !== undefined && removed[0].at + MINUTE_MS <= host.clock.now()) removed.shift();
    return [...entries, ...removed].filter((each) => each.tenant === tenant).length < perMinute;
  }
}

const placeOf = ({ tenant, room, on }: Place): string => `${tenant} ${room} ${on}`;
