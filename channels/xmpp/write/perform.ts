/**
 * Makes one call of a reply and returns its outcome. After a process that may have posted or deleted messages was killed,
 * looks them up in the archive.
 */

import { type AdapterHost, defined, isFinal, type Media, type ReplyDocument, type Turn } from 'parley/kit';
import { hashOf, type LadderCall, type LadderResult, type LadderScreen } from 'parley/kit/ladder';
import { BUSY, type Deliver, type Delivered } from '../deliver.ts';
import type { Uploads } from '../files.ts';
import type { Archive, Archived } from '../inbound/archive.ts';
import type { Sent } from '../inbound/sent.ts';
import { bareOf, markedId, markOf, messageTo, NS, newId, resourceOf } from '../protocol.ts';
import { bodyOf } from '../render/message.ts';
import { words } from '../render/words.ts';
import type { Rooms } from '../rooms.ts';
import { LostSession, StanzaError } from '../stream/connection.ts';
import { type Child, childOf, element } from '../stream/xml.ts';

/** Maximum difference between the clocks of the bridge and of the server, in milliseconds. */
const CLOCKS_MS = 60_000;

/** The screen of a reply, as plain data without text. Stored with the turn. */
export interface XmppScreen extends LadderScreen {
  /** State of each image of the answer, by the id of the medium. `maybe`: a call's outcome was unknown. */
  readonly images: Readonly<Record<string, 'sent' | 'failed' | 'maybe'>>;
}

export type OwnCall =
  /** Shows that the agent is composing (XEP-0085). */
  | { readonly kind: 'state'; readonly document: ReplyDocument }
  | {
      readonly kind: 'image';
      readonly document: ReplyDocument;
      readonly media: Media;
      readonly isAgain: boolean;
    }
  /** Deletes an image's message. */
  | { readonly kind: 'unsend'; readonly document: ReplyDocument; readonly id: string };

export type Call = LadderCall<XmppScreen> | OwnCall;
type Of<Kind extends Call['kind']> = Extract<Call, { kind: Kind }>;

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

export interface Performing {
  readonly turn: Turn;
  readonly deps: WriterDeps;
  readonly signal: AbortSignal;
}

const replyOf = ({ turn: { id, reply } }: Performing): string => reply ?? id;

export async function perform(call: Call, at: Performing): Promise<LadderResult> {
  switch (call.kind) {
    case 'post':
      return post(call, at);
    case 'update':
      return update(call, at);
    case 'delete':
      return remove(call.part.id, at);
    case 'unsend':
      return remove(call.id, at);
    case 'find':
      return find(markOf(replyOf(at), `${call.index}`), call.known, call.lost.since, at);
    case 'state':
      return deliver(newId(), [stateOf(call.document), noStore], at);
    case 'image':
      return sendImage(call, at);
    default:
      return { kind: 'refused', why: 'invalid' };
  }
}

function bodyFor(
  { document, screen, to }: Of<'post' | 'update'>,
  begin: Of<'post'>['begin'],
  at: Performing,
) {
  const { thread } = at.turn.message;
  const mayBeDouble = screen.unconfirmed === true || screen.hushed === true;
  const linkOf: Parameters<typeof bodyOf>[2] = (source, turn) =>
    at.deps.host.sourceLink(source, { turn, thread });
  return body(bodyOf(document, { begin, to }, linkOf, mayBeDouble));
}

const body = (text: string) => element('body', NS.client, {}, text);
const noStore = element('no-store', NS.hints);
const stateOf = (document: ReplyDocument) =>
  element(isFinal(document) ? 'active' : 'composing', NS.chatState);

async function deliver(id: string, content: readonly Child[], at: Performing): Promise<Delivered> {
  const { thread } = at.turn.message;
  return at.deps.deliver.send(messageTo(thread, id, ...content), thread, at.signal);
}

/** Sends a new message of the reply, and notes the id that the room gives it. */
async function sendNew(place: string, content: readonly Child[], at: Performing): Promise<LadderResult> {
  const id = markedId(replyOf(at), place);
  const delivered = await deliver(id, content, at);
  if (delivered.kind === 'done') at.deps.sent.confirmed(at.turn.message.thread, id, delivered.stanzaId);
  return delivered;
}

/** Posts a message of the answer. The first one is a reply to the question's message (XEP-0461). */
async function post(call: Of<'post'>, at: Performing): Promise<LadderResult> {
  const question = call.index === 0 ? await at.deps.sent.questionOf(at.turn.message) : undefined;
  const reply = question && element('reply', NS.reply, { to: question.from, id: question.id });
  const content = [bodyFor(call, call.begin, at), stateOf(call.document), reply];
  return sendNew(`${call.index}`, content, at);
}

/**
 * Edits a message. If an earlier process has retracted it, the server would accept the edit, and clients would not show
 * it. The refusal `gone` lets the ladder post the text again.
 */
async function update(call: Of<'update'>, at: Performing): Promise<LadderResult> {
  const { document, part, to } = call;
  const isGone = part.maybeDeleted === true && (await isRetracted(part, at));
  if (isGone === undefined) return BUSY;
  if (isGone) return { kind: 'refused', why: 'gone' };
  // Archives need only the whole text of the message, so earlier ones are not to be stored.
  const hint = isFinal(document) || to !== undefined ? undefined : noStore;
  return correct(part.id, [bodyFor(call, part.begin, at), stateOf(document), hint], at);
}

/** Replaces the content of a message (XEP-0308). */
async function correct(id: string, content: readonly Child[], at: Performing): Promise<LadderResult> {
  const delivered = await deliver(newId(), [...content, element('replace', NS.correct, { id })], at);
  return delivered.kind === 'done' ? { kind: 'done', id } : delivered;
}

/** Takes a message back. Clients without retractions (XEP-0424) see the correction before it. */
async function remove(target: string, at: Performing): Promise<LadderResult> {
  const { thread } = at.turn.message;
  const removed = body(words.removed);
  const corrected = await correct(target, [removed, element('active', NS.chatState)], at);
  if (corrected.kind !== 'done') return corrected;
  const id = thread.kind === 'direct' ? target : await at.deps.sent.stanzaIdOf(thread, target);
  if (id === undefined) return corrected;
  const fallback = element('fallback', NS.fallback, { for: NS.retract });
  const content = [element('retract', NS.retract, { id }), fallback, removed, element('store', NS.hints)];
  return deliver(newId(), content, at);
}

/** Uploads an image of the answer, and posts its address as a message of its own (XEP-0363, XEP-0066). */
async function sendImage({ media, document, isAgain }: Of<'image'>, at: Performing): Promise<LadderResult> {
  const { deps, turn, signal } = at;
  const { turn: from, agent, account } = document;
  const place = `image-${hashOf(`${from} ${media.id}`)}`;
  if (isAgain) {
    const found = await find(markOf(replyOf(at), place), [], turn.keptAt - CLOCKS_MS, at);
    const isNone =
      found.kind === 'done' ? found.id === undefined : found.kind === 'refused' && found.why === 'invalid';
    if (!isNone) return found;
  }
  if (agent === undefined) return { kind: 'refused', why: 'invalid' };
  let address: string;
  try {
    const opened = await deps.host.openMedia(media, { turn: from, agent, ...defined({ account }) }, signal);
    address = await deps.uploads.put(opened.bytes, opened.type, media.name, signal);
  } catch (err) {
    signal.throwIfAborted();
    deps.host.log.warn({ err, turn: turn.id }, 'an image of an answer could not be uploaded');
    return { kind: 'refused', why: 'invalid' };
  }
  const attached = element('x', NS.attach, {}, element('url', NS.attach, {}, address));
  return sendNew(place, [body(address), attached], at);
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
  { turn, deps: { archive, jid, rooms }, signal }: Performing,
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
const roomState = ({ turn: { message }, deps: { rooms } }: Performing) =>
  message.thread.kind === 'direct' ? 'joined' : (rooms.find(message.thread.room)?.state ?? 'joined');

/** Looks up a message of the reply by the beginning of its id. Returns `done` without an id if there is none. */
export async function find(
  mark: string,
  known: readonly string[],
  since: number,
  at: Performing,
): Promise<LadderResult> {
  if (roomState(at) !== 'joined') return { kind: 'unknown', retryAfterMs: 1_000 };
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
  at: Performing,
): Promise<boolean | undefined> {
  if (['outside', 'joining'].includes(roomState(at))) return undefined;
  try {
    const isSought = (own: Own) => own.isRetracted && own.id === id;
    return (await search(isSought, openedAt - CLOCKS_MS, at)) !== undefined;
  } catch (thrown) {
    at.signal.throwIfAborted();
    return thrown instanceof LostSession ? undefined : false;
  }
}
