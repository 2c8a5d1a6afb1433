/** Reads messages of XMPP. What a client may forge is ignored unless the server vouches for it. */

import type { FileRef, Quote } from 'parley/kit';
import { bareOf, NS } from '../protocol.ts';
import { hasOccupantIds, type Occupant, type Room } from '../rooms.ts';
import { childOf, childrenOf, childText, type Element, elementsOf, textOf } from '../stream/xml.ts';

/** A message of a person, in a room or in a direct chat. */
export interface IncomingMessage {
  /** Full address of the sender; in a room, the room's address with the nickname. */
  readonly from: string;
  /** The room; undefined in a direct chat. */
  readonly room: Room | undefined;
  /** Id that the sender's client gave the message. */
  readonly id: string;
  /** Id that the room or the account's server gave the message. */
  readonly stanzaId?: string | undefined;
  /** Id of the occupant, if the room vouches for it. */
  readonly occupantId?: string | undefined;
  /** The sender's own address, if the archive of a room reports it. */
  readonly jid?: string | undefined;
  /** The occupant who wrote the message, if the room tells. */
  readonly occupant?: Occupant | undefined;
  readonly text: string;
  readonly thread?: string | undefined;
  readonly replyTo?: string | undefined;
  /** Id of the message that this one corrects. */
  readonly replaces?: string | undefined;
  /** Id of the message that this one takes back. */
  readonly retracts?: string | undefined;
  readonly reactions?: { readonly to: string; readonly emojis: readonly string[] } | undefined;
  readonly quoted: readonly Quote[];
  /** Shared files. The id of a file is its address. */
  readonly files: readonly FileRef[];
  /** Addresses that the message mentions (XEP-0372). */
  readonly mentions: readonly string[];
  /** Latest time at which the message can have been sent. Questions are ordered by this time. */
  readonly sentAt: number;
  /** Time that the server gave a delayed or archived message; up to 999 ms before `sentAt` if in whole seconds. */
  readonly stampedAt?: number;
  /** Set if the message comes from the archive, so that it may have been handled before. */
  readonly isMissed?: true;
  /** True if the sender asks for a receipt (XEP-0184). */
  readonly wantsReceipt: boolean;
}

/** Facts about the place from which a message comes. */
export interface Reading {
  /** The room; undefined in a direct chat. */
  readonly room: Room | undefined;
  /** The account's own bare address. */
  readonly jid: string;
  /** Id that the archive gave the message, if the message comes from an archive. */
  readonly archiveId?: string;
  readonly now: number;
}

/** Maximum characters of an id or a thread; longer ones are ignored. */
const ID_CHARS = 1_024;
/** Maximum files of one message. */
const MAX_FILES = 10;

const idOf = (text: string | undefined): string | undefined =>
  text === undefined || text === '' || text.length > ID_CHARS ? undefined : text;

/** Reads a message; undefined if it contains nothing for the bridge. */
export function readMessage(stanza: Element, reading: Reading): IncomingMessage | undefined {
  const { from = '', type } = stanza.attrs;
  if (type === 'error' || type === 'headline' || from === '') return undefined;
  const idIn = (name: string, ns: string) => idOf(childOf(stanza, name, ns)?.attrs.id);
  // The id in the archive is the one that a live message contains (XEP-0313), but archived messages need not contain it.
  const by = reading.room?.address ?? reading.jid;
  const given = childrenOf(stanza, 'stanza-id', NS.stanzaId).find(({ attrs }) => attrs.by === by);
  const stanzaId = idOf(reading.archiveId ?? given?.attrs.id);
  const id = idOf(stanza.attrs.id) ?? idIn('origin-id', NS.stanzaId) ?? stanzaId;
  if (id === undefined) return undefined;
  const { text, quoted } = readText(stanza);
  const files = readFiles(stanza);
  const retracts = readRetraction(stanza, reading);
  const reactions = readReactions(stanza);
  const hasContent = text !== '' || quoted.length + files.length > 0;
  if (!hasContent && retracts === undefined && reactions === undefined) return undefined;
  return {
    from,
    id,
    text,
    quoted,
    files,
    room: reading.room,
    stanzaId,
    retracts,
    reactions,
    occupantId: hasOccupantIds(reading.room) ? idIn('occupant-id', NS.occupant) : undefined,
    thread: idOf(childText(stanza, 'thread')),
    replyTo: idIn('reply', NS.reply),
    replaces: idIn('replace', NS.correct),
    mentions: childrenOf(stanza, 'reference', NS.reference)
      .filter(({ attrs }) => attrs.type === 'mention')
      .map(({ attrs }) => (attrs.uri ?? '').replace(/^xmpp:/, '')),
    ...readTime(childOf(stanza, 'delay', NS.delay)?.attrs.stamp, reading.now),
    wantsReceipt: childOf(stanza, 'request', NS.receipts) !== undefined,
  };
}

/**
 * Namespaces of elements whose content the body repeats for clients that do not know them: answered messages, and
 * addresses of files.
 */
const REPEATED: readonly unknown[] = [NS.reply, NS.files, NS.attach];

/** Returns the text without the copy of the answered message, which becomes a quote (XEP-0461, XEP-0428). */
function readText(stanza: Element): Pick<IncomingMessage, 'text' | 'quoted'> {
  const body = childText(stanza, 'body') ?? '';
  const copies = childrenOf(stanza, 'fallback', NS.fallback);
  const isCopy = copies.some(({ attrs }) => attrs.for === NS.retract || attrs.for === NS.reactions);
  if (isCopy || body.trim() === attachedUrl(stanza)) return { text: '', quoted: [] };
  // Positions count Unicode code points (XEP-0426). A copy without positions is the whole body.
  const points = [...body];
  const ranges = copies
    .filter(({ attrs }) => REPEATED.includes(attrs.for))
    .flatMap((copy) =>
      childrenOf(copy, 'body', NS.fallback).map(({ attrs: { start = 0, end = points.length } }) => ({
        start: Number(start),
        end: Number(end),
        of: copy.attrs.for,
      })),
    )
    .filter(({ start, end }) => start >= 0 && end >= start);
  const own = points.filter((_, at) => !ranges.some(({ start, end }) => at >= start && at < end));
  const quote = ranges
    .filter(({ of }) => of === NS.reply)
    .map(({ start, end }) => points.slice(start, end).join('').replace(/^> ?/gm, '').trim())
    .join('\n');
  const author = bareOf(childOf(stanza, 'reply', NS.reply)?.attrs.to ?? '');
  return { text: own.join('').trim(), quoted: quote === '' ? [] : [{ author, text: quote }] };
}

/** Returns the id of the retracted message. A moderator's retraction comes from the room itself (XEP-0425). */
function readRetraction(stanza: Element, { room }: Reading): string | undefined {
  const retract = childOf(stanza, 'retract', NS.retract);
  const isModerated = childOf(retract, 'moderated', NS.moderate) !== undefined;
  return isModerated && stanza.attrs.from !== room?.address ? undefined : idOf(retract?.attrs.id);
}

function readReactions(stanza: Element): IncomingMessage['reactions'] {
  const reactions = childOf(stanza, 'reactions', NS.reactions);
  const to = idOf(reactions?.attrs.id);
  return to === undefined ? undefined : { to, emojis: elementsOf(reactions).map(textOf) };
}

const attachedUrl = (stanza: Element): string | undefined =>
  childText(childOf(stanza, 'x', NS.attach), 'url')?.trim();

/** Returns the files of XEP-0447, or the one of XEP-0066. */
function readFiles(stanza: Element): readonly FileRef[] {
  const shared = childrenOf(stanza, 'file-sharing', NS.files).flatMap((sharing) => {
    const id = childOf(childOf(sharing, 'sources', NS.files), 'url-data', NS.urlData)?.attrs.target;
    if (id === undefined) return [];
    const file = childOf(sharing, 'file', NS.fileMetadata);
    const size = Number(childText(file, 'size'));
    const name = childText(file, 'name') ?? nameIn(id);
    const bytes = Number.isSafeInteger(size) && size > 0 ? size : 0;
    return [{ id, name, type: childText(file, 'media-type') ?? '', bytes }];
  });
  const id = attachedUrl(stanza);
  const attached = id === undefined ? [] : [{ id, name: nameIn(id), type: '', bytes: 0 }];
  return (shared.length > 0 ? shared : attached).slice(0, MAX_FILES);
}

function nameIn(url: string): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || 'file';
  } catch {
    return 'file';
  }
}

/** Milliseconds that prosody 0.12 cuts from times, which it writes in whole seconds. */
const CUT_MS = 999;

/**
 * Returns when a message was sent: now, or the time that the server gave a delayed message. If this time is in whole
 * seconds, `sentAt` is the end of the second: an earlier message of the same second may already be stored with its real
 * time, and must stay before this one.
 */
export function readTime(
  stamp: string | undefined,
  now: number,
): Pick<IncomingMessage, 'sentAt' | 'stampedAt'> {
  const at = Date.parse(stamp ?? '');
  if (Number.isNaN(at)) return { sentAt: now };
  const latest = stamp?.includes('.') ? at : at + CUT_MS;
  return { sentAt: Math.min(latest, now), stampedAt: Math.min(at, now) };
}
