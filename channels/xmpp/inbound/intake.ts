/** Turns what people write into questions, edits, deletions and ratings. */

import { type AdapterHost, defined, type Message, type Person, type ThreadRef } from 'parley/kit';
import { agentName, ask, COMMAND_CHARS, offer, onceFor, readAgent, type Talk } from 'parley/kit/ladder';
import { bareOf, CHANNEL, CHAT, resourceOf } from '../protocol.ts';
import { words } from '../render/words.ts';
import { type Acting, type Actor, pressed, reacted } from './actions.ts';
import { hiddenId, ownKey, personOf } from './people.ts';
import type { Programs } from './programs.ts';
import type { IncomingMessage } from './read.ts';
import type { AskedQuestion, Sent } from './sent.ts';

export interface IntakeDeps extends Talk, Acting {
  readonly host: AdapterHost;
  readonly sent: Sent;
  readonly programs: Programs;
}

/** Age up to which a correction that adds a mention turns the message into a question, in milliseconds. */
const RECENT_MS = 24 * 60 * 60_000;

/** Handles a message. Resolves once the events that it causes are stored; rejects with `store-unavailable`. */
export async function takeIn(arrived: IncomingMessage, deps: IntakeDeps): Promise<void> {
  const { sent, programs } = deps;
  const place = bareOf(arrived.from);
  if (resourceOf(arrived.from) === arrived.room?.nick) return;
  if (arrived.retracts !== undefined) return takeBack(arrived, arrived.retracts, deps);
  const earlier = arrived.reactions === undefined ? await copyOf(arrived, deps) : undefined;
  const stanza = identified(arrived, earlier);
  const person = personOf(stanza, deps);
  if (stanza.reactions !== undefined) {
    if (person === undefined) return;
    const refused = await reacted(stanza.reactions, actorOf(stanza, person), deps);
    return refused && deps.refuse(toMessage(stanza, person, refused.reply.key, deps), refused.sentence);
  }
  const answers = stanza.replyTo === undefined ? undefined : await sent.replyBy(place, stanza.replyTo);
  const sender: Person = person ?? { id: stanza.from, name: resourceOf(stanza.from), standing: 'external' };
  const message = toMessage(stanza, sender, answers?.key, deps);
  const isAsked = mentionsUs(stanza) || answers !== undefined || (await followsUp(stanza, message, deps));
  if (stanza.replaces !== undefined) {
    if (programs.has(stanza.from)) return;
    // The id names a message of the same sender, so that nobody can correct others' questions.
    const id = messageId(sender.id, stanza.replaces);
    const edited = { ...message, id, revision: stanza.stampedAt ?? stanza.sentAt };
    const fresh = isAsked && deps.host.clock.now() - stanza.sentAt < RECENT_MS;
    return offer({ kind: 'edit', message: edited, fresh }, edited, deps);
  }
  if (!isAsked) return;
  // Short messages count too, because a program may answer each message with "thanks". Missed messages come from the
  // archive all at once, so their pace does not show whether a program sent them.
  const end = stanza.isMissed ? undefined : programs.asked(`${place} ${sender.id}`, stanza.from);
  if (end === 'silent') return;
  if (end !== undefined) return deps.refuse(message, end);
  const respond = async (): Promise<void> => {
    if (person === undefined) return deps.refuse(message, words.whoAreYou);
    const handle = async (): Promise<void> => {
      const sentence = await pressed(message, answers, actorOf(stanza, person), deps);
      if (sentence === undefined) return ask(message, deps);
      if (sentence !== '') await deps.refuse(message, sentence);
    };
    await (message.text.length > COMMAND_CHARS ? handle() : onceFor(message, deps, handle));
  };
  // Do not store a copy again: after a kill, the archive repeats many messages.
  if (earlier?.message === message.id) return respond();
  // Together, so that one transaction stores both.
  const reference = { from: stanza.from, id: (stanza.room ? stanza.stanzaId : stanza.id) ?? stanza.id };
  await Promise.all([sent.asked(message, reference, stanza.occupantId), respond()]);
}

/**
 * Returns an earlier copy of a message, or the question that it corrects. Never returns another person's question,
 * because the room vouches for occupant ids and for the ids in its archive.
 */
async function copyOf(stanza: IncomingMessage, { sent }: IntakeDeps): Promise<AskedQuestion | undefined> {
  const { occupantId, stanzaId, isMissed, replaces, id } = stanza;
  const room = bareOf(stanza.from);
  if (!stanza.room) return isMissed && sent.questionFrom(room, room, replaces ?? id);
  if (occupantId !== undefined) return sent.questionFrom(room, hiddenId(room, occupantId), replaces ?? id);
  return isMissed && stanzaId !== undefined ? sent.questionBy(room, stanzaId) : undefined;
}

/**
 * Gives a message the same author as its earlier copy. The bridge may know a person's address at one time and not at
 * another: for example, the author of a copy from the archive may have left the room. With different authors, the same
 * message would be asked or refused twice.
 */
function identified(stanza: IncomingMessage, earlier: AskedQuestion | undefined): IncomingMessage {
  if (!stanza.room || earlier === undefined) return stanza;
  if (isAddress(earlier.by, bareOf(stanza.from))) return { ...stanza, jid: earlier.by };
  // The author's address was unknown, so the original was usually refused. If the address is known now, the correction
  // is a new question.
  if (stanza.replaces !== undefined) return stanza;
  const { occupant } = stanza;
  return { ...stanza, jid: undefined, occupant: occupant && { ...occupant, jid: undefined } };
}

/** True if a person's id is an address, and not the nickname or occupant id of someone whose address a room hides. */
const isAddress = (person: string, room: string): boolean =>
  bareOf(person) !== room && !person.startsWith(hiddenId(room, ''));

/** Passes a retraction on. `id` names the retracted message; in rooms, it is the id that the room gave the message. */
async function takeBack(stanza: IncomingMessage, id: string, deps: IntakeDeps): Promise<void> {
  const address = bareOf(stanza.from);
  const question = stanza.room ? await deps.sent.questionBy(address, id) : undefined;
  const isSame = question?.occupantId !== undefined && question.occupantId === stanza.occupantId;
  const jid = isSame && isAddress(question.by, address) ? question.by : stanza.jid;
  const by = personOf({ ...stanza, jid }, deps);
  const isModerator = stanza.room !== undefined && stanza.from === address;
  const isOwn =
    by !== undefined && (question?.message ?? messageId(by.id, id)).startsWith(messageId(by.id, ''));
  const message = question?.message ?? (by && messageId(by.id, id));
  if (message === undefined || !(isOwn || isModerator)) return;
  const thread = { channel: CHANNEL, tenant: deps.tenant, room: address, key: CHAT, kind: kindOf(stanza) };
  await deps.host.intake({ kind: 'delete', thread, message, ...defined({ by }) });
}

const kindOf = ({ room }: IncomingMessage): ThreadRef['kind'] => (room ? 'room' : 'direct');

/** Returns the id of a message: unique among all senders, because clients choose their own ids. */
const messageId = (person: string, id: string): string => `${person}/${id}`;

const actorOf = (stanza: IncomingMessage, person: Person): Actor => ({
  person,
  room: bareOf(stanza.from),
  kind: kindOf(stanza),
  key: messageId(person.id, stanza.stanzaId ?? stanza.id),
});

/** @param answered key of the conversation of the answer to which the message replies */
function toMessage(
  stanza: IncomingMessage,
  sender: Person,
  answered: string | undefined,
  deps: IntakeDeps,
): Message {
  const { quoted, files, sentAt } = stanza;
  const room = bareOf(stanza.from);
  const inside = stanza.room;
  const names = deps.host.agents().map(({ name }) => name);
  const named = inside === undefined ? stanza.text : stanza.text.replace(leading(inside.nick), '').trim();
  const { agent, text } = readAgent(named, names, [...(inside?.occupants.keys() ?? [])]);
  const key = answered ?? stanza.thread ?? ownKey(room, inside !== undefined, sender);
  return {
    id: messageId(sender.id, stanza.id),
    thread: { channel: CHANNEL, tenant: deps.tenant, room, key, kind: kindOf(stanza) },
    sender,
    text,
    quoted,
    files,
    sentAt,
    revision: 0,
    ...(agent !== undefined && { agent: agentName(agent) }),
  };
}

/** True if the message is a question although it does not mention the bridge. */
async function followsUp(stanza: IncomingMessage, message: Message, deps: IntakeDeps): Promise<boolean> {
  const { thread, sender, sentAt, text, files, quoted } = message;
  const rule = deps.host.mentionRule(thread);
  const place = stanza.thread === undefined ? 'start' : 'thread';
  if (thread.kind !== 'direct' && place === 'start' && rule !== 'open') return false;
  const others = [...(stanza.room?.occupants.keys() ?? [])];
  const isFirst = others.some((nick) => leading(nick).test(stanza.text));
  const isLater =
    stanza.replyTo !== undefined ||
    stanza.mentions.length > 0 ||
    others.some((nick) => atNick(nick).test(stanza.text));
  const other = isFirst ? 'first' : isLater ? 'later' : undefined;
  const hasMore = files.length > 0 || quoted.length > 0;
  const at = stanza.stampedAt ?? sentAt;
  return deps.engagement.isQuestion({ thread, by: sender.id, at, text, hasMore, other, place }, rule);
}

/** True if the text begins with the bridge's nickname, contains it after an `@`, or refers to the bridge (XEP-0372). */
const mentionsUs = ({ text, mentions, room }: IncomingMessage): boolean =>
  room !== undefined &&
  (mentions.includes(`${room.address}/${room.nick}`) ||
    leading(room.nick).test(text) ||
    atNick(room.nick).test(text));

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
/** Matches a nickname at the beginning of a text, as clients complete it. */
const leading = (nick: string): RegExp =>
  new RegExp(`^\\s*(?:@?${escaped(nick)}\\s*[:,]|@${escaped(nick)}(?=\\s|$))\\s*`, 'i');

/** Matches a nickname after an `@`, anywhere in a text. */
const atNick = (nick: string): RegExp => new RegExp(`(?:^|\\s)@${escaped(nick)}(?![\\p{L}\\p{N}_-])`, 'iu');
