/** Reads what people wrote while the account was not logged in, from the archives (XEP-0313). */

import type { Background } from '../../../src/kit/background.ts';
import type { AdapterHost } from '../../../src/kit.ts';
import { NS } from '../protocol.ts';
import type { Room } from '../rooms.ts';
import { StanzaError } from '../stream/connection.ts';
import type { Archive } from './archive.ts';
import type { Receiver } from './receiver.ts';

/** Age up to which missed messages are answered, in milliseconds. */
const LATEST_MS = 60 * 60_000;
/** Messages are read again from this many milliseconds before the last one, because archives list some of them late. */
const OVERLAP_MS = 30_000;
/** Milliseconds between two records of the time of the last stanza. */
const RECORD_MS = 5_000;
/** Time for which the record is stored, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

export interface CatchUp {
  /** Notes that a stanza arrived. */
  heard(): void;
  /** Notes that a new session begins. Must be called before its first stanza. */
  begin(): void;
  /** Reads the missed direct messages. */
  direct(): Promise<void>;
  /** Resolves once the missed direct messages were read, or cannot be read. */
  directDone(): Promise<unknown>;
  /** Reads the missed messages of a room. */
  room(room: Room): Promise<void>;
  /** Stores the time of the last stanza. */
  save(): Promise<void>;
}

interface CatchUpDeps {
  readonly archive: Pick<Archive, 'read'>;
  readonly receiver: Pick<Receiver, 'archived'>;
  readonly host: Pick<AdapterHost, 'state' | 'clock' | 'log'>;
  readonly jid: string;
  readonly signal: AbortSignal;
  readonly background: Background;
}

export function createCatchUp({ archive, receiver, host, jid, signal, background }: CatchUpDeps): CatchUp {
  const { clock, log, state } = host;
  const key = `heard ${jid}`;
  const stored = state.get(key).then((at) => (typeof at === 'number' ? at : undefined));
  let recordedAt = 0;
  let heardAt: number | undefined;
  /** Time from which the present session may have missed messages. */
  let missedFrom = stored;
  let direct: Promise<unknown> = Promise.resolve();
  const save = async (): Promise<void> => {
    // Wait for the record of the earlier process before it is replaced.
    await stored;
    if (heardAt !== undefined) await state.set(key, heardAt, KEPT_MS);
  };
  const take = async (room: string | undefined): Promise<void> => {
    const last = await missedFrom;
    if (last === undefined) return;
    const from = Math.max(last - OVERLAP_MS, clock.now() - LATEST_MS);
    try {
      for (const { id, message, stamp } of await archive.read({ room, since: from }, signal))
        await receiver.archived(message, { id, stamp, ...(room !== undefined && { room }) });
    } catch (err) {
      signal.throwIfAborted();
      if (!(err instanceof StanzaError)) throw err;
      log.info(
        { condition: err.condition, room },
        'the server has no archive, so missed messages are not answered',
      );
    }
  };
  return {
    heard() {
      heardAt = clock.now();
      if (heardAt - recordedAt < RECORD_MS) return;
      recordedAt = heardAt;
      background.run('recording the last stanza', save);
    },
    begin() {
      if (heardAt !== undefined) missedFrom = Promise.resolve(heardAt);
    },
    direct() {
      const taken = take(undefined);
      direct = taken.catch(() => undefined);
      return taken;
    },
    directDone: () => direct,
    async room(room) {
      if (room.features.has(NS.archive)) await take(room.address);
    },
    save,
  };
}
