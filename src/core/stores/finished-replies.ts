/**
 * Finished replies as they were shown, with their questions, stored for 24 hours. Needed for versions, sources, Retry
 * and sharing.
 */

import type { TurnId } from '../ids.ts';
import type { Message, Origin } from '../message.ts';
import { change, type Editions, type ReplyDocument } from '../reply.ts';
import type { Turn } from '../turn.ts';
import { type KeyValues, type Owner, ownerIn } from './keyed.ts';

/** A reply is stored encrypted while one of its buttons may need it, for at most 24 hours (delivery contract 6). */
const KEPT_MS = 24 * 60 * 60_000;
/** Maximum number of stored versions of one reply; the oldest is dropped first. */
const MAX_EDITIONS = 20;

interface KeptVersion {
  readonly document: ReplyDocument;
  readonly question: Message;
}

export type FinishedReplies = ReturnType<typeof createFinishedReplies>;

/** @param stored encrypted state, because the values contain people's messages */
export function createFinishedReplies(stored: KeyValues) {
  const readable = readableAtOnce(stored);
  const versionKey = (turn: TurnId) => `version ${turn}`;
  const editionsKey = (reply: TurnId) => `editions ${reply}`;
  /** A reply with one version has no stored list; the reply's first turn wrote this version. */
  const editions = async (reply: TurnId): Promise<readonly TurnId[]> => {
    const found = await readable.get(editionsKey(reply));
    if (Array.isArray(found)) return found as readonly TurnId[];
    return (await readable.get(versionKey(reply))) === undefined ? [] : [reply];
  };
  const editionsWith = async (turn: Turn) =>
    beginsAnew(turn) ? [turn.id] : withTurn(await editions(replyOf(turn)), turn);
  return {
    /** Resolves with the turns of a reply's versions, oldest first. */
    editions,
    /** Resolves with the version that this turn wrote, even while the version is still being stored. */
    async find(turn: TurnId) {
      const found = await readable.get(versionKey(turn));
      return isKeptVersion(found) ? found : undefined;
    },
    /** Stores a version; replaces it if it is stored already. */
    async keep(turn: Turn, { question: _title, ...document }: ReplyDocument) {
      const { message: question } = turn;
      const version = { document, question } satisfies KeptVersion;
      const owner = { ...ownerIn(question.thread, question.sender.id), turn: turn.id };
      if (turn.reply === undefined) return readable.set(versionKey(turn.id), version, KEPT_MS, owner);
      const before = await editions(turn.reply);
      const all = await editionsWith(turn);
      // Both writes start together, so that they share one disk flush.
      await Promise.all([
        readable.set(versionKey(turn.id), version, KEPT_MS, owner),
        readable.set(editionsKey(turn.reply), all, KEPT_MS, { ...owner, turn: turn.reply }),
      ]);
      // `forget` does not find a version that is no longer in the list.
      for (const dropped of before.filter((each) => !all.includes(each)))
        await readable.delete(versionKey(dropped));
    },
    /** Resolves with the position of this turn's version among the versions of its reply. */
    editionOf: async (turn: Turn) => place(await editionsWith(turn), turn.id),
    /** Deletes the reply with all its versions, because the question was deleted. */
    async forget(reply: TurnId) {
      for (const turn of await editions(reply)) await readable.delete(versionKey(turn));
      await readable.delete(editionsKey(reply));
    },
  };
}

/**
 * Returns a store whose values can be read while they are being written, because on a slow disk people may press a
 * button before the reply is stored.
 */
function readableAtOnce(stored: KeyValues): KeyValues {
  const writing = new Map<string, unknown>();
  return {
    get: async (key) => (writing.has(key) ? writing.get(key) : stored.get(key)),
    async set(key, value, ttlMs, owner: Owner) {
      writing.set(key, value);
      try {
        await stored.set(key, value, ttlMs, owner);
      } finally {
        if (writing.get(key) === value) writing.delete(key);
      }
    },
    async delete(key) {
      writing.delete(key);
      await stored.delete(key);
    },
  };
}

export const replyOf = ({ id, reply }: Turn): TurnId => reply ?? id;

/** Returns the position of a turn's version; undefined if there is only one version. */
function place(editions: readonly TurnId[], turn: TurnId): Editions | undefined {
  return editions.length < 2 ? undefined : { shown: editions.indexOf(turn) + 1, count: editions.length };
}

/** True if the turn starts a new list of versions, for example after the question was edited. */
const beginsAnew = ({ origin }: Turn): boolean => origin.kind !== 'regenerate' && origin.kind !== 'retry';

/**
 * Adds the turn to the versions: a regenerated answer becomes an additional version; a retried answer replaces the
 * version that it retries.
 */
function withTurn(editions: readonly TurnId[], { id, origin }: Turn): readonly TurnId[] {
  if (editions.includes(id)) return editions;
  const grown = grow(editions, id, origin);
  return grown.slice(-MAX_EDITIONS);
}

function grow(editions: readonly TurnId[], id: TurnId, origin: Origin): readonly TurnId[] {
  const at = origin.kind === 'retry' ? editions.indexOf(origin.of) : -1;
  return at < 0 ? [...editions, id] : editions.with(at, id);
}

function isKeptVersion(value: unknown): value is KeptVersion {
  return typeof value === 'object' && value !== null && 'document' in value && 'question' in value;
}

/**
 * Resolves with the stored version and its current position among the versions; without `edition`, with the newest
 * version.
 */
export async function versionOf(
  reply: TurnId,
  edition: number | undefined,
  finishedReplies: FinishedReplies,
): Promise<ReplyDocument | undefined> {
  const editions = await finishedReplies.editions(reply);
  const number = edition ?? editions.length;
  const wanted = editions[number - 1];
  const document = wanted && (await finishedReplies.find(wanted))?.document;
  if (document === undefined || editions.length < 2) return document;
  return change(document, { editions: { shown: number, count: editions.length } });
}
