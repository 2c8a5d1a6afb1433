/** Reads what people wrote while the account was not logged in, from the archives (XEP-0313). */

import type { AdapterHost } from 'parley/kit';
import type { Background } from 'parley/kit/ladder';
import { NS } from '../protocol.ts';
import type { Room } from '../rooms.ts';
import { LostSession, StanzaError } from '../stream/connection.ts';
import type { Archive } from './archive.ts';
import type { Receiver } from './receiver.ts';

/** Maximum age of a missed message that is still answered, in milliseconds. */
const LATEST_MS = 60 * 60_000;
/** Messages are read again from this many milliseconds before the last one, because archives list some of them late. */
const OVERLAP_MS = 30_000;
/** Milliseconds between two writes of the record, which is the time of the last stanza. */
const RECORD_MS = 5_000;
/** Maximum tries to read an archive in one session. Each one takes up to 10 s. */
const MAX_TRIES = 3;
/** Maximum archives that are read at the same time. If a busy server reads many at once, it answers none in time. */
const AT_ONCE = 3;
/** Time for which the record is stored, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** The address of a room, or undefined for direct messages. */
type Place = string | undefined;

interface CatchUpDeps {
  readonly archive: Pick<Archive, 'read'>;
  readonly receiver: Pick<Receiver, 'archived'>;
  readonly host: Pick<AdapterHost, 'state' | 'clock' | 'log'>;
  readonly jid: string;
  /** Addresses of the rooms. */
  readonly rooms: readonly string[];
  readonly signal: AbortSignal;
  readonly background: Background;
}

export class CatchUp {
  readonly #deps: CatchUpDeps;
  /** Key of the record, which is the time of the last stanza. */
  readonly #key: string;
  /** Times from which the messages of places are still to be read. Earlier times of earlier sessions stay. */
  readonly #unread = new Map<Place, number>();
  readonly #reader = createReader();
  /** Resolves once the record of the earlier process has been read. */
  readonly #marked: Promise<void>;
  /** Time from which the present session may have missed messages. */
  #missedFrom: number | undefined;
  #heardAt: number | undefined;
  #recordedAt = 0;
  #direct = Promise.resolve(true);

  constructor(deps: CatchUpDeps) {
    this.#deps = deps;
    this.#key = `heard ${deps.jid}`;
    this.#marked = deps.host.state.get(this.#key).then((at) => this.#mark(at));
  }

  /** Notes that a stanza arrived. */
  heard(): void {
    this.#heardAt = this.#deps.host.clock.now();
    if (this.#heardAt - this.#recordedAt < RECORD_MS) return;
    this.#recordedAt = this.#heardAt;
    this.#deps.background.run('recording the last stanza', () => this.save());
  }

  /** Notes that a new session begins. Must be called before its first stanza. */
  begin(): void {
    this.#reader.first.clear();
    this.#mark(this.#heardAt);
  }

  /** Reads the missed direct messages. */
  direct(): Promise<void> {
    const step = this.#take(undefined);
    this.#direct = step.then(
      () => true,
      (err: unknown) => !(err instanceof LostSession),
    );
    return step;
  }

  /** Reads the missed messages of a room. */
  async room({ address, features }: Room): Promise<void> {
    if (features.has(NS.archive)) await this.#take(address);
    else this.#unread.delete(address);
  }

  /**
   * Resolves once the missed messages were read or cannot be read. The value is false if the session was lost before
   * that. Call it for a new message that waits for this: its archive is then read before the others.
   * @param room undefined for direct messages
   */
  done(room: Room | undefined): Promise<boolean> {
    this.#reader.first.add(room?.address);
    return room === undefined ? this.#direct : room.caughtUp;
  }

  /** Stores the record. The next process reads what is unread, so the record never passes the earliest unread time. */
  async save(): Promise<void> {
    await this.#marked;
    if (this.#heardAt === undefined) return;
    const at = Math.min(this.#heardAt, ...this.#unread.values());
    await this.#deps.host.state.set(this.#key, at, KEPT_MS, { tenant: this.#deps.jid });
  }

  #mark(at: unknown): void {
    if (typeof at !== 'number') return;
    this.#missedFrom = at;
    for (const place of [undefined, ...this.#deps.rooms])
      if (!this.#unread.has(place)) this.#unread.set(place, at);
  }

  async #take(room: Place): Promise<void> {
    const { receiver, signal, host } = this.#deps;
    await this.#marked;
    const last = this.#unread.get(room) ?? this.#missedFrom;
    if (last === undefined) return;
    try {
      const since = Math.max(last - OVERLAP_MS, host.clock.now() - LATEST_MS);
      for (const each of await this.#read(room, since)) await receiver.archived(each, room);
    } catch (err) {
      signal.throwIfAborted();
      if (!(err instanceof StanzaError)) throw err;
      const { condition } = err;
      host.log.info({ condition, room }, 'the server has no archive, so missed messages are not answered');
    }
    this.#unread.delete(room);
  }

  async #read(room: Place, since: number) {
    const { archive, signal, host } = this.#deps;
    for (let tries = 1; ; tries += 1)
      try {
        return await this.#reader.inTurn(room, () => archive.read({ room, since }, signal));
      } catch (err) {
        signal.throwIfAborted();
        // After a lost session, the next session reads from the same time.
        if (err instanceof StanzaError || err instanceof LostSession || tries === MAX_TRIES) throw err;
        host.log.warn({ err, room }, 'an archive did not answer, and is read again');
      }
  }
}

/** Lets a few archives be read at the same time. */
function createReader() {
  const queue: { readonly room: Place; readonly start: () => void }[] = [];
  /** Archives for which new messages wait. They are read before the others. */
  const first = new Set<Place>();
  let free = AT_ONCE;
  const startNext = (): void => {
    const next = queue.find(({ room }) => first.has(room)) ?? queue[0];
    if (next === undefined || free === 0) return;
    queue.splice(queue.indexOf(next), 1);
    first.delete(next.room);
    free -= 1;
    next.start();
  };
  return {
    first,
    async inTurn<Value>(room: Place, work: () => Promise<Value>): Promise<Value> {
      const { promise, resolve: start } = Promise.withResolvers<void>();
      queue.push({ room, start });
      startNext();
      await promise;
      return work().finally(() => {
        free += 1;
        startNext();
      });
    },
  };
}
