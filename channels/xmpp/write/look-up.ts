/** Looks up messages of a reply in the archive, after a process that may have posted or deleted them was killed. */

import { defined, type Turn } from 'parley/kit';
import type { LadderResult } from 'parley/kit/ladder';
import { BUSY } from '../deliver.ts';
import type { Archive, Archived } from '../inbound/archive.ts';
import type { Sent } from '../inbound/sent.ts';
import { bareOf, NS, resourceOf } from '../protocol.ts';
import type { Rooms } from '../rooms.ts';
import { LostSession, StanzaError } from '../stream/connection.ts';
import { childOf } from '../stream/xml.ts';

/** Maximum difference between the clocks of the bridge and of the server, in milliseconds. */
export const CLOCKS_MS = 60_000;

interface LookingUp {
  readonly turn: Turn;
  readonly deps: {
    readonly archive: Pick<Archive, 'find'>;
    readonly rooms: Pick<Rooms, 'find'>;
    readonly sent: Pick<Sent, 'confirmed'>;
    /** The account's own bare address. */
    readonly jid: string;
  };
  readonly signal: AbortSignal;
}

/** A message of ours in the archive, other than a correction. */
interface Own {
  readonly id: string;
  readonly isRetracted: boolean;
}

/** Looks up the newest message of ours that `isIt` accepts. Rejects as `Archive.read` does. */
function search(
  isIt: (own: Own) => boolean,
  since: number,
  { turn, deps: { archive, jid, rooms }, signal }: LookingUp,
): Promise<Archived | undefined> {
  const { kind, room } = turn.message.thread;
  const isDirect = kind === 'direct';
  const retracted = new Set<string | undefined>();
  const isSought = ({ id: archiveId, message }: Archived): boolean => {
    const { id = '', from = '' } = message.attrs;
    const isOurs = isDirect ? bareOf(from) === jid : resourceOf(from) === rooms.find(room)?.nick;
    if (!isOurs || childOf(message, 'replace', NS.correct) !== undefined) return false;
    // The archive is searched from its end, so the retraction comes before its message.
    retracted.add(childOf(message, 'retract', NS.retract)?.attrs.id);
    return isIt({ id, isRetracted: retracted.has(isDirect ? id : archiveId) });
  };
  return archive.find({ ...(isDirect ? { person: room } : { room }), since }, isSought, signal);
}

/** Returns the state of the reply's room. A direct chat is always joined. */
const stateOf = ({ turn: { message }, deps: { rooms } }: LookingUp) =>
  message.thread.kind === 'direct' ? 'joined' : (rooms.find(message.thread.room)?.state ?? 'joined');

/** Looks up a message of the reply by the beginning of its id. Returns `done` without an id if there is none. */
export async function find(
  mark: string,
  known: readonly string[],
  since: number,
  at: LookingUp,
): Promise<LadderResult> {
  if (stateOf(at) !== 'joined') return { kind: 'unknown', retryAfterMs: 1_000 };
  const isSought = ({ id, isRetracted }: Own) => !isRetracted && id.startsWith(mark) && !known.includes(id);
  try {
    const found = await search(isSought, since, at);
    const id = found?.message.attrs.id;
    const { thread } = at.turn.message;
    if (id !== undefined && thread.kind !== 'direct') at.deps.sent.confirmed(thread, id, found?.id);
    return { kind: 'done', ...defined({ id }) };
  } catch (thrown) {
    at.signal.throwIfAborted();
    if (thrown instanceof StanzaError) return { kind: 'refused', why: 'invalid', detail: thrown.condition };
    return thrown instanceof LostSession ? BUSY : { kind: 'unknown' };
  }
}

/**
 * True if a message was retracted. False also if there is no archive, or if it does not answer. Undefined if the account
 * is not logged in or not in the room, so that the call must be repeated.
 */
export async function isRetracted(
  { id, openedAt }: { readonly id: string; readonly openedAt: number },
  at: LookingUp,
): Promise<boolean | undefined> {
  if (['outside', 'joining'].includes(stateOf(at))) return undefined;
  try {
    const isSought = (own: Own) => own.isRetracted && own.id === id;
    return (await search(isSought, openedAt - CLOCKS_MS, at)) !== undefined;
  } catch (thrown) {
    at.signal.throwIfAborted();
    return thrown instanceof LostSession ? undefined : false;
  }
}
