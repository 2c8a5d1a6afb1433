/** Turns what people write into questions, edits, deletions and ratings. */

import { type AdapterHost, agentName, defined, type Message, type Person, type ThreadRef } from 'parley/kit';
import { ask, COMMAND_CHARS, type Overheard, offer, onceFor, readAgent, type Talk } from 'parley/kit/ladder';
import { bareOf, CHANNEL, CHAT, resourceOf } from '../protocol.ts';
import { words } from '../render/words.ts';
import type { Room, Rooms } from '../rooms.ts';
import { hiddenId, ownKey, personOf } from './people.ts';
import { type Pressing, pressed, reacted } from './press.ts';
import type { Programs } from './programs.ts';
import type { Said } from './read.ts';
import type { AskedQuestion, Sent } from './sent.ts';
import type { Turns } from './turns.ts';

export interface IntakeDeps extends Talk {
  readonly host: AdapterHost;
  readonly rooms: Pick<Rooms, 'find'>;
  readonly sent: Sent;
  readonly turns: Turns;
  readonly programs: Programs;
  /** The account's own bare address. */
  readonly jid: string;
  readonly members: readonly string[];
  readonly emails: boolean;
}

/** Age up to which a correction that adds a mention turns the message into a question, in milliseconds. */
const RECENT_MS = 24 * 60 * 60_000;

/** Handles a message. Resolves once the events that it causes are stored; rejects with `store-unavailable`. */
export async function takeIn(arrived: Said, deps: IntakeDeps): Promise<void> {
  const room = arrived.isRoom ? deps.rooms.find(bareOf(arrived.from)) : undefined;
  if (arrived.isRoom && (room === undefined || resourceOf(arrived.from) === room.nick)) return;
  if (arrived.retracts !== undefined) return takeBack(arrived, arrived.retracts, room, deps);
  const earlier = arrived.reactions === undefined ? await copyOf(arrived, deps) : undefined;
  const said = identified(arrived, earlier);
  const person = personOf(said, room, deps);
  if (said.reactions !== undefined) return person && react(said.reactions, said, person, deps);
  const answers =
    said.replyTo === undefined ? undefined : await deps.sent.replyBy(bareOf(said.from), said.replyTo);
  const nick = room?.nick ?? '';
  const mentions = room !== undefined && mentionsNick(said, room);
  const named = room === undefined ? said.text : withoutNick(said.text, nick);
  const sender = person ?? { id: said.from, name: resourceOf(said.from), standing: 'external' };
  const message = toMessage({ ...said, text: named }, sender, answers?.key, deps);
  const isAsked = mentions || answers !== undefined || (await followsUp(said, message, deps));
  if (said.replaces !== undefined) {
    if (deps.programs.has(said.from)) return;
    const revision = said.stampedAt ?? said.sentAt;
    return correct(said.replaces, { message: { ...message, revision }, isAsked, sender }, deps);
  }
  if (!isAsked) return;
  const end = endOf(said, message, deps);
  if (end === 'silent') return;
  if (end !== undefined) return deps.refuse(message, end);
  const asked = { from: said.from, id: (said.isRoom ? said.stanzaId : said.id) ?? said.id };
  const respond = async (): Promise<void> => {
    if (person === undefined) return deps.refuse(message, words.whoAreYou);
    const handle = async (): Promise<void> => {
      const press = await pressed(message, answers, pressing(said, person, deps));
      if (press === undefined) return ask(message, deps);
      if (press !== '') await deps.refuse(message, press);
    };
    await (message.text.length > COMMAND_CHARS ? handle() : onceFor(message, deps, handle));
  };
  // Do not store a copy again: after a kill, the archive repeats many messages.
  if (earlier?.message === message.id) return respond();
  // Together, so that one transaction stores both.
  await Promise.all([deps.sent.asked(message, asked, said.occupantId), respond()]);
}

/**
 * Returns an earlier copy of a message, or the question that it corrects. Never returns another person's question,
 * because the room vouches for occupant ids and for the ids in its archive.
 */
async function copyOf(said: Said, { sent }: IntakeDeps): Promise<AskedQuestion | undefined> {
  const { isRoom, occupantId, stanzaId, isMissed, replaces, id } = said;
  const room = bareOf(said.from);
  if (!isRoom) return isMissed && sent.questionFrom(room, room, replaces ?? id);
  if (occupantId !== undefined) return sent.questionFrom(room, hiddenId(room, occupantId), replaces ?? id);
  return isMissed && stanzaId !== undefined ? sent.questionBy(room, stanzaId) : undefined;
}

/**
 * Gives a message the same author as its earlier copy. The bridge may know a person's address at one time and not at
 * another: for example, the author of a copy from the archive may have left the room. With different authors, the same
 * message would be asked or refused twice.
 */
function identified(said: Said, earlier: AskedQuestion | undefined): Said {
  if (!said.isRoom || earlier?.by === undefined) return said;
  if (isAddress(earlier.by, bareOf(said.from))) return { ...said, jid: earlier.by };
  // The author's address was unknown, so the original was usually refused. If the address is known now, the correction
  // is a new question.
  if (said.replaces !== undefined) return said;
  const { jid: _, occupant, ...unnamed } = said;
  if (occupant === undefined) return unnamed;
  const { jid: __, ...rest } = occupant;
  return { ...unnamed, occupant: rest };
}

/** True if a person's id is an address, and not the nickname or occupant id of someone whose address a room hides. */
const isAddress = (person: string | undefined, room: string): person is string =>
  person !== undefined && bareOf(person) !== room && !person.startsWith(hiddenId(room, ''));

/** Passes a reaction on. If it has no effect, tells the person why, in the thread of the answer. */
async function react(
  reactions: NonNullable<Said['reactions']>,
  said: Said,
  person: Person,
  deps: IntakeDeps,
): Promise<void> {
  const refused = await reacted(reactions, pressing(said, person, deps));
  if (refused !== undefined)
    await deps.refuse(toMessage(said, person, refused.reply.key, deps), refused.sentence);
}

/**
 * Returns the sentence with which a conversation with a program ends, or `silent` if it has ended; undefined if the
 * message may be answered. Short messages count too, because a program may answer each message with "thanks".
 */
function endOf(said: Said, { thread, sender }: Message, { turns, programs }: IntakeDeps): string | undefined {
  // Missed messages come from the archive all at once, so their pace does not show whether a program sent them.
  if (said.isMissed === true) return undefined;
  const isProgram = programs.has(said.from);
  programs.ask(said.from);
  const turn = turns.asked(`${thread.room} ${sender.id}`, isProgram);
  if (turn === 'last') return isProgram ? words.programs : words.tooManyTurns;
  return turn === 'silent' ? turn : undefined;
}

interface Corrected {
  readonly message: Message;
  readonly isAsked: boolean;
  readonly sender: Person;
}

/** Passes a correction on. Its id names a message of the same sender, so that nobody can correct others' questions. */
async function correct(
  replaces: string,
  { message, isAsked, sender }: Corrected,
  deps: IntakeDeps,
): Promise<void> {
  const edited = { ...message, id: messageId(sender.id, replaces) };
  const fresh = isAsked && deps.host.clock.now() - message.sentAt < RECENT_MS;
  await offer({ kind: 'edit', message: edited, fresh }, edited, deps);
}

/** Passes a retraction on. `id` names the retracted message; in rooms, it is the id that the room gave the message. */
async function takeBack(said: Said, id: string, room: Room | undefined, deps: IntakeDeps): Promise<void> {
  const { jid: tenant, host } = deps;
  const address = bareOf(said.from);
  const asked = said.isRoom ? await deps.sent.questionBy(address, id) : undefined;
  const isSame = asked?.occupantId !== undefined && asked.occupantId === said.occupantId;
  const person = personOf(
    isSame && isAddress(asked.by, address) ? { ...said, jid: asked.by } : said,
    room,
    deps,
  );
  const thread: ThreadRef = { channel: CHANNEL, tenant, room: address, key: CHAT, kind: kindOf(said) };
  const isModerator = said.isRoom && said.from === address;
  const own = person && messageId(person.id, id);
  const isOwn =
    asked === undefined || (person !== undefined && asked.message.startsWith(messageId(person.id, '')));
  const message = asked !== undefined && (isOwn || isModerator) ? asked.message : own;
  if (message !== undefined && (isOwn || isModerator))
    await host.intake({ kind: 'delete', thread, message, ...(person && { by: person }) });
}

const kindOf = ({ isRoom }: Said): ThreadRef['kind'] => (isRoom ? 'room' : 'direct');

/** Returns the id of a message: unique among all senders, because clients choose their own ids. */
const messageId = (person: string, id: string): string => `${person}/${id}`;

const pressing = (said: Said, person: Person, deps: IntakeDeps): Pressing => ({
  ...{
    person,
    host: deps.host,
    sent: deps.sent,
    tenant: deps.jid,
    room: bareOf(said.from),
    kind: kindOf(said),
  },
  key: messageId(person.id, said.stanzaId ?? said.id),
});

/**
 * Returns the key of the conversation to which the message belongs: that of the answer to which it replies
 * (`answered`), else that of its thread, else that of the person's messages without a thread.
 */
function keyOf(said: Said, person: Person, answered: string | undefined): string {
  if (answered !== undefined) return answered;
  if (said.thread !== undefined) return said.thread;
  return ownKey({ room: bareOf(said.from), isRoom: said.isRoom }, person);
}

function toMessage(said: Said, sender: Person, answered: string | undefined, deps: IntakeDeps): Message {
  const { host, jid: tenant, rooms } = deps;
  const room = bareOf(said.from);
  const names = host.agents().map(({ name }) => name);
  const people = [...(rooms.find(room)?.occupants.keys() ?? [])];
  const { agent, text } = readAgent(said.text, names, people);
  return {
    id: messageId(sender.id, said.id),
    thread: { channel: CHANNEL, tenant, room, key: keyOf(said, sender, answered), kind: kindOf(said) },
    ...{ sender, text, quoted: said.quoted, sentAt: said.sentAt, revision: 0 },
    ...defined({ agent: agent === undefined ? undefined : agentName(agent) }),
    files: said.files.map(({ url, name, type, bytes }) => ({ id: url, name, type, bytes })),
  };
}

/** True if the message is a question although it does not mention the bridge. */
async function followsUp(
  said: Said,
  { thread, sender, sentAt, text, files, quoted }: Message,
  { host, engagement, rooms }: IntakeDeps,
): Promise<boolean> {
  const rule = host.mentionRule(thread);
  const place = said.thread === undefined ? 'start' : 'thread';
  if (thread.kind !== 'direct' && place === 'start' && rule !== 'open') return false;
  const others = [...(rooms.find(thread.room)?.occupants.keys() ?? [])];
  const isFirst = others.some((nick) => leading(nick).test(said.text));
  const isLater =
    said.replyTo !== undefined ||
    said.mentions.length > 0 ||
    others.some((nick) => atNick(nick).test(said.text));
  const overheard: Overheard = {
    ...{ thread, by: sender.id, at: said.stampedAt ?? sentAt, text },
    hasMore: files.length > 0 || quoted.length > 0,
    other: isFirst ? 'first' : isLater ? 'later' : undefined,
    place,
  };
  return engagement.isQuestion(overheard, rule);
}

const escapedPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
/** Matches a nickname at the beginning of a text, as clients complete it. */
const leading = (nick: string): RegExp =>
  new RegExp(`^\\s*(?:@?${escapedPattern(nick)}\\s*[:,]|@${escapedPattern(nick)}(?=\\s|$))\\s*`, 'i');

/** True if the text begins with the bridge's nickname, contains it after an `@`, or refers to the bridge (XEP-0372). */
function mentionsNick({ text, mentions }: Said, { address, nick }: Room): boolean {
  if (mentions.includes(`${address}/${nick}`)) return true;
  return leading(nick).test(text) || atNick(nick).test(text);
}

/** Matches a nickname after an `@`, anywhere in a text. */
const atNick = (nick: string): RegExp =>
  new RegExp(`(?:^|\\s)@${escapedPattern(nick)}(?![\\p{L}\\p{N}_-])`, 'iu');

const withoutNick = (text: string, nick: string): string => text.replace(leading(nick), '').trim();
