/** Turns what people write into questions, edits, deletions and ratings. */

import { type AdapterHost, defined, type Message, type Person, type ThreadRef } from 'parley/kit';
import { agentName, ask, COMMAND_CHARS, offer, onceFor, readAgent, type Talk } from 'parley/kit/ladder';
import { bareOf, CHANNEL, CHAT, resourceOf } from '../protocol.ts';
import { words } from '../render/words.ts';
import { type Acting, type Actor, pressed, reacted } from './actions.ts';
import { hiddenId, ownKey, personOf } from './people.ts';
import type { Programs } from './programs.ts';
import type { Said } from './read.ts';
import type { AskedQuestion, Sent } from './sent.ts';

export interface IntakeDeps extends Talk, Acting {
  readonly host: AdapterHost;
  readonly sent: Sent;
  readonly programs: Programs;
}

/** Age up to which a correction that adds a mention turns the message into a question, in milliseconds. */
const RECENT_MS = 24 * 60 * 60_000;

/** Handles a message. Resolves once the events that it causes are stored; rejects with `store-unavailable`. */
export async function takeIn(arrived: Said, deps: IntakeDeps): Promise<void> {
  const { sent, programs } = deps;
  const place = bareOf(arrived.from);
  if (resourceOf(arrived.from) === arrived.room?.nick) return;
  if (arrived.retracts !== undefined) return takeBack(arrived, arrived.retracts, deps);
  const earlier = arrived.reactions === undefined ? await copyOf(arrived, deps) : undefined;
  const said = identified(arrived, earlier);
  const person = personOf(said, deps);
  if (said.reactions !== undefined) {
    if (person === undefined) return;
    const refused = await reacted(said.reactions, actorOf(said, person), deps);
    return refused && deps.refuse(toMessage(said, person, refused.reply.key, deps), refused.sentence);
  }
  const answers = said.replyTo === undefined ? undefined : await sent.replyBy(place, said.replyTo);
  const sender: Person = person ?? { id: said.from, name: resourceOf(said.from), standing: 'external' };
  const message = toMessage(said, sender, answers?.key, deps);
  const isAsked = mentionsUs(said) || answers !== undefined || (await followsUp(said, message, deps));
  if (said.replaces !== undefined) {
    if (programs.has(said.from)) return;
    // The id names a message of the same sender, so that nobody can correct others' questions.
    const id = messageId(sender.id, said.replaces);
    const edited = { ...message, id, revision: said.stampedAt ?? said.sentAt };
    const fresh = isAsked && deps.host.clock.now() - said.sentAt < RECENT_MS;
    return offer({ kind: 'edit', message: edited, fresh }, edited, deps);
  }
  if (!isAsked) return;
  // Short messages count too, because a program may answer each message with "thanks". Missed messages come from the
  // archive all at once, so their pace does not show whether a program sent them.
  const end = said.isMissed ? undefined : programs.asked(`${place} ${sender.id}`, said.from);
  if (end === 'silent') return;
  if (end !== undefined) return deps.refuse(message, end);
  const respond = async (): Promise<void> => {
    if (person === undefined) return deps.refuse(message, words.whoAreYou);
    const handle = async (): Promise<void> => {
      const sentence = await pressed(message, answers, actorOf(said, person), deps);
      if (sentence === undefined) return ask(message, deps);
      if (sentence !== '') await deps.refuse(message, sentence);
    };
    await (message.text.length > COMMAND_CHARS ? handle() : onceFor(message, deps, handle));
  };
  // Do not store a copy again: after a kill, the archive repeats many messages.
  if (earlier?.message === message.id) return respond();
  // Together, so that one transaction stores both.
  const asked = { from: said.from, id: (said.room ? said.stanzaId : said.id) ?? said.id };
  await Promise.all([sent.asked(message, asked, said.occupantId), respond()]);
}

/**
 * Returns an earlier copy of a message, or the question that it corrects. Never returns another person's question,
 * because the room vouches for occupant ids and for the ids in its archive.
 */
async function copyOf(said: Said, { sent }: IntakeDeps): Promise<AskedQuestion | undefined> {
  const { occupantId, stanzaId, isMissed, replaces, id } = said;
  const room = bareOf(said.from);
  if (!said.room) return isMissed && sent.questionFrom(room, room, replaces ?? id);
  if (occupantId !== undefined) return sent.questionFrom(room, hiddenId(room, occupantId), replaces ?? id);
  return isMissed && stanzaId !== undefined ? sent.questionBy(room, stanzaId) : undefined;
}

/**
 * Gives a message the same author as its earlier copy. The bridge may know a person's address at one time and not at
 * another: for example, the author of a copy from the archive may have left the room. With different authors, the same
 * message would be asked or refused twice.
 */
function identified(said: Said, earlier: AskedQuestion | undefined): Said {
  if (!said.room || earlier === undefined) return said;
  if (isAddress(earlier.by, bareOf(said.from))) return { ...said, jid: earlier.by };
  // The author's address was unknown, so the original was usually refused. If the address is known now, the correction
  // is a new question.
  if (said.replaces !== undefined) return said;
  const { occupant } = said;
  return { ...said, jid: undefined, occupant: occupant && { ...occupant, jid: undefined } };
}

/** True if a person's id is an address, and not the nickname or occupant id of someone whose address a room hides. */
const isAddress = (person: string, room: string): boolean =>
  bareOf(person) !== room && !person.startsWith(hiddenId(room, ''));

/** Passes a retraction on. `id` names the retracted message; in rooms, it is the id that the room gave the message. */
async function takeBack(said: Said, id: string, deps: IntakeDeps): Promise<void> {
  const address = bareOf(said.from);
  const asked = said.room ? await deps.sent.questionBy(address, id) : undefined;
  const isSame = asked?.occupantId !== undefined && asked.occupantId === said.occupantId;
  const jid = isSame && isAddress(asked.by, address) ? asked.by : said.jid;
  const by = personOf({ ...said, jid }, deps);
  const isModerator = said.room !== undefined && said.from === address;
  const isOwn = by !== undefined && (asked?.message ?? messageId(by.id, id)).startsWith(messageId(by.id, ''));
  const message = asked?.message ?? (by && messageId(by.id, id));
  if (message === undefined || !(isOwn || isModerator)) return;
  const thread = { channel: CHANNEL, tenant: deps.tenant, room: address, key: CHAT, kind: kindOf(said) };
  await deps.host.intake({ kind: 'delete', thread, message, ...defined({ by }) });
}

const kindOf = ({ room }: Said): ThreadRef['kind'] => (room ? 'room' : 'direct');

/** Returns the id of a message: unique among all senders, because clients choose their own ids. */
const messageId = (person: string, id: string): string => `${person}/${id}`;

const actorOf = (said: Said, person: Person): Actor => ({
  person,
  room: bareOf(said.from),
  kind: kindOf(said),
  key: messageId(person.id, said.stanzaId ?? said.id),
});

/** @param answered key of the conversation of the answer to which the message replies */
function toMessage(said: Said, sender: Person, answered: string | undefined, deps: IntakeDeps): Message {
  const { quoted, files, sentAt } = said;
  const room = bareOf(said.from);
  const inside = said.room;
  const names = deps.host.agents().map(({ name }) => name);
  const named = inside === undefined ? said.text : said.text.replace(leading(inside.nick), '').trim();
  const { agent, text } = readAgent(named, names, [...(inside?.occupants.keys() ?? [])]);
  const key = answered ?? said.thread ?? ownKey(room, inside !== undefined, sender);
  return {
    id: messageId(sender.id, said.id),
    thread: { channel: CHANNEL, tenant: deps.tenant, room, key, kind: kindOf(said) },
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
async function followsUp(said: Said, message: Message, deps: IntakeDeps): Promise<boolean> {
  const { thread, sender, sentAt, text, files, quoted } = message;
  const rule = deps.host.mentionRule(thread);
  const place = said.thread === undefined ? 'start' : 'thread';
  if (thread.kind !== 'direct' && place === 'start' && rule !== 'open') return false;
  const others = [...(said.room?.occupants.keys() ?? [])];
  const isFirst = others.some((nick) => leading(nick).test(said.text));
  const isLater =
    said.replyTo !== undefined ||
    said.mentions.length > 0 ||
    others.some((nick) => atNick(nick).test(said.text));
  const other = isFirst ? 'first' : isLater ? 'later' : undefined;
  const hasMore = files.length > 0 || quoted.length > 0;
  const at = said.stampedAt ?? sentAt;
  return deps.engagement.isQuestion({ thread, by: sender.id, at, text, hasMore, other, place }, rule);
}

/** True if the text begins with the bridge's nickname, contains it after an `@`, or refers to the bridge (XEP-0372). */
const mentionsUs = ({ text, mentions, room }: Said): boolean =>
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
