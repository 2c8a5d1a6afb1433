/** Reads what people wrote while the account was not logged in, from the archives (XEP-0313). */

import type { AdapterHost, Background, Log } from 'parley/kit';
import { NS } from '../protocol.ts';
import type { Room } from '../rooms.ts';
import { LostSession, StanzaError } from '../stream/connection.ts';
import type { Archive, Archived } from './archive.ts';
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

export type CatchUp = ReturnType<typeof createCatchUp>;

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

export function createCatchUp(deps: CatchUpDeps) {
  const { archive, receiver, host, jid, rooms, signal } = deps;
  const { clock, log, state } = host;
  const key = `heard ${jid}`;
  const stored = state.get(key).then((at) => (typeof at === 'number' ? at : undefined));
  const unread = createUnread(rooms);
  let marking = unread.mark(stored);
  /** Time from which the present session may have missed messages. */
  let missedFrom = stored;
  let direct = Promise.resolve(true);
  const record = createRecord(key, deps, async () => {
    // Wait until the record of the earlier process has been read, because this write replaces it.
    await marking;
    return unread.first();
  });
  const reader = createReader({ archive, signal, log });
  const take = async (room: string | undefined): Promise<void> => {
    await marking;
    const last = unread.since(room) ?? (await missedFrom);
    if (last === undefined) return;
    const from = Math.max(last - OVERLAP_MS, clock.now() - LATEST_MS);
    try {
      for (const { id, message, stamp } of await reader.read(room, from))
        await receiver.archived(message, { id, stamp, ...(room !== undefined && { room }) });
      unread.done(room);
    } catch (err) {
      signal.throwIfAborted();
      if (!(err instanceof StanzaError)) throw err;
      unread.done(room);
      log.info(
        { condition: err.condition, room },
        'the server has no archive, so missed messages are not answered',
      );
    }
  };
  return {
    /** Notes that a stanza arrived. */
    heard: record.heard,
    /** Notes that a new session begins. Must be called before its first stanza. */
    begin() {
      reader.forgetAwaited();
      const heardAt = record.heardAt();
      if (heardAt === undefined) return;
      missedFrom = Promise.resolve(heardAt);
      marking = unread.mark(missedFrom);
    },
    /** Reads the missed direct messages. */
    direct() {
      const taken = take(undefined);
      direct = taken.then(() => true, isNotLost);
      return taken;
    },
    /**
     * Resolves once the missed messages were read or cannot be read. The value is false if the session was lost before
     * that. Call it for a new message that waits for this: its archive is then read before the others.
     * @param room undefined for direct messages
     */
    done(room: Room | undefined) {
      reader.readFirst(room?.address);
      return room === undefined ? direct : room.caughtUp;
    },
    /** Reads the missed messages of a room. */
    async room(room: Room) {
      if (room.features.has(NS.archive)) await take(room.address);
      else unread.done(room.address);
    },
    /** Stores the time of the last stanza. */
    save: record.save,
  };
}

const isNotLost = (err: unknown): boolean => !(err instanceof LostSession);

/**
 * Creates the record of the time of the last stanza. `earliestUnread`: returns the time from which messages are still to
 * be read. The next process reads them, so the record never passes this time.
 */
function createRecord(
  key: string,
  { host: { state, clock }, background, jid }: Pick<CatchUpDeps, 'host' | 'background' | 'jid'>,
  earliestUnread: () => Promise<number | undefined>,
) {
  let heardAt: number | undefined;
  let recordedAt = 0;
  const save = async (): Promise<void> => {
    const unread = await earliestUnread();
    if (heardAt !== undefined)
      await state.set(key, Math.min(heardAt, unread ?? heardAt), KEPT_MS, { tenant: jid });
  };
  return {
    save,
    heardAt: () => heardAt,
    heard(): void {
      heardAt = clock.now();
      if (heardAt - recordedAt < RECORD_MS) return;
      recordedAt = heardAt;
      background.run('recording the last stanza', save);
    },
  };
}

/** Returns the times from which messages of each room, and direct messages (undefined), are still to be read. */
function createUnread(rooms: readonly string[]) {
  const since = new Map<string | undefined, number>();
  return {
    /** Marks all places as unread from a time, except those that are still unread from an earlier time. */
    async mark(from: Promise<number | undefined>): Promise<void> {
      const at = await from;
      if (at === undefined) return;
      for (const place of [undefined, ...rooms]) if (!since.has(place)) since.set(place, at);
    },
    since: (place: string | undefined) => since.get(place),
    done: (place: string | undefined) => since.delete(place),
    /** Returns the earliest time; undefined if everything was read. */
    first: () => [...since.values()].toSorted((one, other) => one - other)[0],
  };
}

interface Waiting {
  /** Address of the room; undefined for direct messages. */
  readonly room: string | undefined;
  readonly start: () => void;
}

/**
 * Creates the reader of archives. It reads a few at the same time, first those for which new messages wait, and tries
 * again if the server does not answer.
 */
function createReader({ archive, signal, log }: Pick<CatchUpDeps, 'archive' | 'signal'> & { log: Log }) {
  const queue: Waiting[] = [];
  /** Archives to read first. An archive is removed when its reading begins. */
  const awaited = new Set<string | undefined>();
  let running = 0;
  const startNext = (): void => {
    if (running >= AT_ONCE) return;
    const next = queue.find(({ room }) => awaited.has(room)) ?? queue[0];
    if (next === undefined) return;
    queue.splice(queue.indexOf(next), 1);
    awaited.delete(next.room);
    running += 1;
    next.start();
  };
  const inTurn = async <Value>(room: string | undefined, work: () => Promise<Value>): Promise<Value> => {
    await new Promise<void>((start) => {
      queue.push({ room, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      running -= 1;
      startNext();
    }
  };
  return {
    readFirst: (room: string | undefined): void => void awaited.add(room),
    forgetAwaited: (): void => awaited.clear(),
    async read(room: string | undefined, since: number): Promise<readonly Archived[]> {
      for (let tries = 1; ; tries += 1)
        try {
          return await inTurn(room, () => archive.read({ room, since }, signal));
        } catch (err) {
          signal.throwIfAborted();
          // After a lost session, the next session reads from the same time.
          if (err instanceof StanzaError || err instanceof LostSession || tries === MAX_TRIES) throw err;
          log.warn({ err, room }, 'an archive did not answer, and is read again');
        }
    },
  };
}
