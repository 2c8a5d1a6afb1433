/** Makes one call of a reply and returns its outcome. */

import { type AdapterHost, defined, isFinal, type ReplyDocument, type Turn } from 'parley/kit';
import { hashOf, type LadderResult } from 'parley/kit/ladder';
import type { Deliver, Delivered } from '../deliver.ts';
import type { Uploads } from '../files.ts';
import type { Archive } from '../inbound/archive.ts';
import type { Sent } from '../inbound/sent.ts';
import { markedId, markOf, messageTo, NS, newId } from '../protocol.ts';
import { bodyOf } from '../render/message.ts';
import { words } from '../render/words.ts';
import type { Rooms } from '../rooms.ts';
import { type Child, element } from '../stream/xml.ts';
import { CLOCKS_MS, find, isRetracted } from './look-up.ts';
import type { Call, Of, XmppScreen } from './screen.ts';

/** Pause before a call is repeated whose look-up was cut off, in milliseconds. */
const BUSY_MS = 1_000;

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

const replyOf = ({ id, reply }: Turn): string => reply ?? id;

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
      return find(markOf(replyOf(at.turn), `${call.index}`), call.known, call.lost.since, at);
    case 'state':
      return deliver(newId(), [stateOf(call.document), element('no-store', NS.hints)], at);
    case 'image':
      return sendImage(call, at);
    default:
      return { kind: 'refused', why: 'invalid' };
  }
}

function bodyFor(
  call: Of<'post' | 'update'>,
  begin: Of<'post'>['begin'],
  { deps: { host }, turn: { message } }: Performing,
): string {
  const { unconfirmed, hushed }: XmppScreen = call.screen;
  return bodyOf(
    call.document,
    { begin, to: call.to },
    {
      linkOf: (source, turn) => host.sourceLink(source, { turn, thread: message.thread }),
      mayBeDouble: unconfirmed === true || hushed === true,
    },
  );
}

const stateOf = (document: ReplyDocument) =>
  element(isFinal(document) ? 'active' : 'composing', NS.chatState);

const body = (text: string) => element('body', NS.client, {}, text);

async function deliver(id: string, content: readonly Child[], at: Performing): Promise<Delivered> {
  const { turn, deps, signal } = at;
  const { thread } = turn.message;
  return deps.deliver.send(messageTo(thread, id, ...content), thread, signal);
}

/** Posts a message of the answer. The first one is a reply to the question's message (XEP-0461). */
async function post(call: Of<'post'>, at: Performing): Promise<LadderResult> {
  const { turn, deps } = at;
  const id = markedId(replyOf(turn), `${call.index}`);
  const asked = call.index === 0 ? await deps.sent.questionOf(turn.message) : undefined;
  const reply = asked && element('reply', NS.reply, { to: asked.from, id: asked.id });
  const delivered = await deliver(
    id,
    [body(bodyFor(call, call.begin, at)), stateOf(call.document), reply],
    at,
  );
  if (delivered.kind === 'done') deps.sent.confirmed(turn.message.thread, id, delivered.stanzaId);
  return delivered;
}

/**
 * Edits a message. If an earlier process has retracted it, the server would accept the edit, and clients would not show
 * it. The refusal `gone` lets the ladder post the text again.
 */
async function update(call: Of<'update'>, at: Performing): Promise<LadderResult> {
  const { part } = call;
  const isGone = part.maybeDeleted === true && (await isRetracted(part, at));
  if (isGone === undefined) return { kind: 'refused', why: 'busy', retryAfterMs: BUSY_MS };
  if (isGone) return { kind: 'refused', why: 'gone' };
  const how = { state: stateOf(call.document), isKept: isLast(call) };
  return correct(part.id, bodyFor(call, part.begin, at), how, at);
}

/** True if the message gets its whole text, because the answer has ended or continues in the next message. */
const isLast = ({ document, to }: Of<'update'>): boolean => isFinal(document) || to !== undefined;

/**
 * Replaces the text of a message. Archives need only the last text, so the others are marked as not to be stored; this
 * also keeps the archive small.
 */
async function correct(
  target: string,
  text: string,
  { state, isKept }: { readonly state: Child; readonly isKept: boolean },
  at: Performing,
): Promise<LadderResult> {
  const hint = isKept ? undefined : element('no-store', NS.hints);
  const content = [body(text), element('replace', NS.correct, { id: target }), state, hint];
  const delivered = await deliver(newId(), content, at);
  return delivered.kind === 'done' ? { kind: 'done', id: target } : delivered;
}

/** Takes a message back. Clients without retractions (XEP-0424) see the correction before it. */
async function remove(target: string, at: Performing): Promise<LadderResult> {
  const { turn, deps } = at;
  const { thread } = turn.message;
  const corrected = await correct(
    target,
    words.removed,
    { state: element('active', NS.chatState), isKept: true },
    at,
  );
  if (corrected.kind !== 'done') return corrected;
  const id = thread.kind === 'direct' ? target : await deps.sent.stanzaIdOf(thread, target);
  if (id === undefined) return corrected;
  const fallback = element('fallback', NS.fallback, { for: NS.retract });
  const content = [
    element('retract', NS.retract, { id }),
    fallback,
    body(words.removed),
    element('store', NS.hints),
  ];
  return deliver(newId(), content, at);
}

/** Uploads an image of the answer, and posts its address as a message of its own (XEP-0363, XEP-0066). */
async function sendImage({ media, document, isAgain }: Of<'image'>, at: Performing): Promise<LadderResult> {
  const { deps, turn, signal } = at;
  const { turn: from, agent, account } = document;
  const place = `image-${hashOf(`${from} ${media.id}`)}`;
  if (isAgain) {
    const found = await find(markOf(replyOf(turn), place), [], turn.keptAt - CLOCKS_MS, at);
    if (found.kind !== 'refused' || found.why !== 'invalid')
      if (found.kind !== 'done' || found.id !== undefined) return found;
  }
  if (agent === undefined) return { kind: 'refused', why: 'invalid' };
  let address: string | undefined;
  try {
    const opened = await deps.host.openMedia(media, { turn: from, agent, ...defined({ account }) }, signal);
    address = await deps.uploads.put({ bytes: opened.bytes, type: opened.type, name: media.name }, signal);
  } catch (err) {
    signal.throwIfAborted();
    deps.host.log.warn({ err, turn: turn.id }, 'an image of an answer could not be uploaded');
    return { kind: 'refused', why: 'invalid' };
  }
  const attached = element('x', NS.attach, {}, element('url', NS.attach, {}, address));
  const delivered = await deliver(markedId(replyOf(turn), place), [body(address), attached], at);
  if (delivered.kind === 'done' && delivered.id !== undefined)
    deps.sent.confirmed(turn.message.thread, delivered.id, delivered.stanzaId);
  return delivered;
}
