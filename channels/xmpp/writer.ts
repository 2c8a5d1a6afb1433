/** Writes one reply on XMPP: messages that grow by corrections (XEP-0308), or are posted when the reply is complete. */

import {
  type AdapterHost,
  defined,
  isFinal,
  messageWriter,
  type Outcome,
  type ReplyMessage,
  type SoughtMessage,
  type Turn,
} from 'parley/kit';
import type { TellingWriter } from 'parley/kit/ladder';
import { BUSY, type Deliver } from './deliver.ts';
import type { Uploads } from './files.ts';
import type { Archive, Archived } from './inbound/archive.ts';
import type { Sent } from './inbound/sent.ts';
import { bareOf, markOf, messageTo, NS, newId, resourceOf } from './protocol.ts';
import { bodyOf, markdown, PART_CHARS } from './render/message.ts';
import { words } from './render/words.ts';
import type { Rooms } from './rooms.ts';
import { LostSession, StanzaError } from './stream/connection.ts';
import { type Child, childOf, element } from './stream/xml.ts';

/** Maximum difference between the clocks of the bridge and of the server, in milliseconds. */
const CLOCKS_MS = 60_000;

export interface WriterDeps {
  readonly host: Pick<AdapterHost, 'sourceLink' | 'openMedia' | 'log'>;
  readonly deliver: Pick<Deliver, 'send'>;
  readonly archive: Pick<Archive, 'find'>;
  readonly rooms: Pick<Rooms, 'find'>;
  readonly uploads: Uploads;
  readonly sent: Sent;
  readonly corrections: boolean;
  /** The account's own bare address. */
  readonly jid: string;
}

export function createWriter(turn: Turn, deps: WriterDeps): TellingWriter {
  const { host, sent, uploads } = deps;
  const { thread } = turn.message;
  const search = createSearch(turn, deps);
  const send = (id: string, content: readonly Child[], signal: AbortSignal) =>
    deps.deliver.send(messageTo(thread, id, ...content), thread, signal);
  /** Sends a new message of the reply, and notes the id that the room gives it. */
  const post = async (key: string, content: readonly Child[], signal: AbortSignal): Promise<Outcome> => {
    const id = newId(markOf(key));
    const delivered = await send(id, content, signal);
    if (delivered.kind === 'done') sent.confirmed(thread, id, delivered.stanzaId);
    return delivered;
  };
  /** Replaces the content of a message. */
  const correct = async (id: string, content: readonly Child[], signal: AbortSignal): Promise<Outcome> => {
    const delivered = await send(newId(), [...content, element('replace', NS.correct, { id })], signal);
    return delivered.kind === 'done' ? { kind: 'done', id } : delivered;
  };
  return messageWriter({
    turn,
    limit: PART_CHARS,
    dialect: markdown,
    onlyComplete: !deps.corrections,
    linkOf: (source, from) => host.sourceLink(source, { turn: from, thread }),
    find: search.find,
    typing: (signal) => send(newId(), [composing, noStore], signal),
    async post(message, signal) {
      // The first message is a reply to the question's message (XEP-0461).
      const question = message.key.endsWith('/0') ? await sent.questionOf(turn.message) : undefined;
      const reply = question && element('reply', NS.reply, { to: question.from, id: question.id });
      return post(message.key, [...contentOf(message), reply], signal);
    },
    async edit(id, message, signal) {
      // The server would accept the edit of a retracted message, and clients would not show it.
      const isGone = message.maybeDeleted && (await search.isRetracted(id, signal));
      if (isGone === undefined) return BUSY;
      if (isGone) return { kind: 'refused', why: 'gone' };
      // Archives need only the whole text of the message, so earlier ones are not to be stored.
      const isWhole = isFinal(message.document) || !message.isLast;
      return correct(id, [...contentOf(message), isWhole ? undefined : noStore], signal);
    },
    async remove(id, signal) {
      // Clients without retractions (XEP-0424) see the correction before it.
      const corrected = await correct(id, [removed, active], signal);
      const target = thread.kind === 'direct' ? id : await sent.stanzaIdOf(thread, id);
      if (corrected.kind !== 'done' || target === undefined) return corrected;
      const fallback = element('fallback', NS.fallback, { for: NS.retract });
      const retract = element('retract', NS.retract, { id: target });
      return send(newId(), [retract, fallback, removed, element('store', NS.hints)], signal);
    },
    /** Uploads an image, and posts its address (XEP-0363, XEP-0066). */
    async upload({ media, key, document: { turn: from, agent, account } }, signal) {
      if (agent === undefined) return { kind: 'refused', why: 'invalid' };
      let address: string;
      try {
        const opened = await host.openMedia(media, { turn: from, agent, ...defined({ account }) }, signal);
        address = await uploads.put(opened.bytes, opened.type, media.name, signal);
      } catch (err) {
        signal.throwIfAborted();
        host.log.warn({ err, turn: turn.id }, 'an image of an answer could not be uploaded');
        return { kind: 'refused', why: 'invalid' };
      }
      const attached = element('x', NS.attach, {}, element('url', NS.attach, {}, address));
      return post(key, [bodyWith(address), attached], signal);
    },
  });
}

const bodyWith = (text: string) => element('body', NS.client, {}, text);
const removed = bodyWith(words.removed);
const noStore = element('no-store', NS.hints);
const active = element('active', NS.chatState);
const composing = element('composing', NS.chatState);

const contentOf = (message: ReplyMessage): readonly Child[] => [
  bodyWith(bodyOf(message)),
  isFinal(message.document) ? active : composing,
];

/**
 * Looks up messages of the turn's reply in the archive, after a process that may have posted or deleted them was killed.
 */
export function createSearch({ message: { thread }, keptAt }: Turn, deps: Omit<WriterDeps, 'host'>) {
  const { archive, rooms, sent, jid } = deps;
  const isDirect = thread.kind === 'direct';
  /** The state of the reply's room. A direct chat is always joined. */
  const state = () => (isDirect ? 'joined' : (rooms.find(thread.room)?.state ?? 'joined'));
  /** Resolves with the newest message of ours that `isIt` accepts. Rejects as `Archive.read` does. */
  const newest = (isIt: (each: Archived) => boolean, since: number, signal: AbortSignal) => {
    const isOurs = ({ message: { attrs } }: Archived): boolean =>
      isDirect
        ? bareOf(attrs.from ?? '') === jid
        : resourceOf(attrs.from ?? '') === rooms.find(thread.room)?.nick;
    const place = isDirect ? { person: thread.room } : { room: thread.room };
    return archive.find({ ...place, since }, (each) => isOurs(each) && isIt(each), signal);
  };
  return {
    /** Looks up a message by the beginning of its id. Resolves with `done` without an id if there is none. */
    async find({ key, known, since }: SoughtMessage, signal: AbortSignal): Promise<Outcome> {
      if (state() !== 'joined') return { kind: 'unknown', retryAfterMs: 1_000 };
      const retracted = new Set<string | undefined>();
      const isSought = ({ id: archiveId, message }: Archived): boolean => {
        // The archive is searched from its end, so the retraction comes before its message.
        retracted.add(retractedBy(message));
        const { id = '' } = message.attrs;
        const isFirst = childOf(message, 'replace', NS.correct) === undefined;
        const isThere = isFirst && !retracted.has(isDirect ? id : archiveId);
        return isThere && id.startsWith(markOf(key)) && !known.includes(id);
      };
      try {
        const found = await newest(isSought, since, signal);
        const id = found?.message.attrs.id;
        if (id !== undefined && !isDirect) sent.confirmed(thread, id, found?.id);
        return { kind: 'done', ...defined({ id }) };
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof StanzaError)
          return { kind: 'refused', why: 'invalid', detail: thrown.condition };
        return thrown instanceof LostSession ? BUSY : { kind: 'unknown' };
      }
    },
    /**
     * True if an earlier process has retracted a message. False also if there is no archive, or if it does not answer.
     * Undefined if the account is not logged in or not in the room, so that the call must be repeated.
     */
    async isRetracted(id: string, signal: AbortSignal): Promise<boolean | undefined> {
      if (['outside', 'joining'].includes(state())) return undefined;
      const target = isDirect ? id : await sent.stanzaIdOf(thread, id);
      if (target === undefined) return false;
      try {
        const isIt = ({ message }: Archived) => retractedBy(message) === target;
        return (await newest(isIt, keptAt - CLOCKS_MS, signal)) !== undefined;
      } catch (thrown) {
        signal.throwIfAborted();
        return thrown instanceof LostSession ? undefined : false;
      }
    },
  };
}

const retractedBy = (message: Archived['message']) => childOf(message, 'retract', NS.retract)?.attrs.id;
