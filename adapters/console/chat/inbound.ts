/** Converts a console message to the bridge's `Message`. Pure. */

import { readAgent } from '../../../src/kit/named-agent.ts';
import {
  agentName,
  type FileRef,
  type MentionRule,
  type Message,
  type Person,
  type Quote,
  type ThreadRef,
} from '../../../src/kit.ts';
import type { ConsolePerson } from '../config.ts';
import type { RoomView } from '../wire.ts';
import { type Asked, DIRECT_THREAD, type MessageRecord } from './records.ts';

/** The tenant of all threads: a console has one workspace. */
export const TENANT = 'console';
export const CHANNEL = 'console';

/** Maximum messages of people that are quoted with a question, and maximum UTF-16 units of each. */
const QUOTES = 5;
const QUOTE_CHARS = 2_000;

export interface ThreadContext {
  readonly kind: RoomView['kind'];
  /** True if an agent was asked in the thread before. */
  readonly engaged: boolean;
  readonly mention: MentionRule;
  readonly botName: string;
  readonly agents: readonly string[];
  readonly people: readonly ConsolePerson[];
}

/**
 * Returns the agent and the question of a message, or undefined if it asks no agent. In a direct room every message
 * asks. Elsewhere a message asks if it mentions the bot or an agent, or if the room's mention rule accepts it without a
 * mention and it does not begin with the mention of a person.
 */
export function readAsked(text: string, context: ThreadContext): Asked | undefined {
  const mention = findMention(text, [context.botName, ...context.agents]);
  if (mention) {
    const agent = context.agents.find((name) => name === mention.name);
    const words = withoutMention(text, mention);
    return agent === undefined ? named(words, context) : { agent, text: words };
  }
  if (context.kind === 'direct') return { text };
  const open = context.mention === 'never' || (context.mention === 'first' && context.engaged);
  return open && !beginsWithPerson(text, context.people) ? named(text, context) : undefined;
}

function named(text: string, { agents, people }: ThreadContext): Asked {
  return readAgent(text, agents, namesOf(people));
}

function beginsWithPerson(text: string, people: readonly ConsolePerson[]): boolean {
  return findMention(text.trimStart(), namesOf(people))?.from === 0;
}

const namesOf = (people: readonly ConsolePerson[]): readonly string[] =>
  people.flatMap((person) => [person.name, person.id]);

export function threadRef(room: RoomView, thread: string): ThreadRef {
  const kind = room.kind === 'direct' ? 'direct' : 'room';
  return { channel: CHANNEL, tenant: TENANT, room: room.id, key: thread, kind };
}

export function toPerson(person: ConsolePerson): Person {
  return {
    id: person.id,
    name: person.name,
    ...(person.email === undefined ? {} : { email: person.email }),
    standing: person.standing ?? 'member',
  };
}

interface Context {
  readonly room: RoomView;
  readonly asked: Asked;
  readonly sender: ConsolePerson;
  /** Language of the sender's browser (BCP 47), if known. */
  readonly locale?: string | undefined;
  /** The thread's messages up to this one, oldest first. */
  readonly earlier: readonly MessageRecord[];
}

export function toMessage(record: MessageRecord, { room, asked, sender, locale, earlier }: Context): Message {
  return {
    id: record.id,
    thread: threadRef(room, record.thread),
    sender: { ...toPerson(sender), ...(locale !== undefined && { locale }) },
    text: asked.text,
    ...(asked.agent === undefined ? {} : { agent: agentName(asked.agent) }),
    ...(room.agent === undefined ? {} : { roomAgent: agentName(room.agent) }),
    quoted: room.kind === 'direct' ? [] : quotes(record, earlier),
    files: record.files.map(toFileRef),
    sentAt: record.at,
    revision: record.revision ?? 0,
  };
}

const toFileRef = ({ id, name, type, bytes }: MessageRecord['files'][number]): FileRef => ({
  id,
  name,
  type,
  bytes,
});

/** Quotes people's messages since the thread's last question or reply, because the agent has not seen them. */
function quotes(record: MessageRecord, earlier: readonly MessageRecord[]): readonly Quote[] {
  const before = earlier.slice(0, indexOf(record, earlier));
  const last = before.findLastIndex((one) => one.asked ?? one.reply);
  return before
    .slice(last + 1)
    .filter((one) => one.author.kind === 'person' && one.text !== '')
    .slice(-QUOTES)
    .map((one) => ({ author: one.author.name, text: one.text.slice(0, QUOTE_CHARS) }));
}

function indexOf(record: MessageRecord, records: readonly MessageRecord[]): number {
  const index = records.findIndex((one) => one.id === record.id);
  return index < 0 ? records.length : index;
}

/** Returns the direct room of a person and an agent as it is before its first message. */
export function directRoom(person: ConsolePerson, agent: { name: string; description: string }): RoomView {
  return {
    id: `${DIRECT_THREAD}~${person.id}~${agent.name}`,
    name: agent.name,
    topic: agent.description,
    kind: 'direct',
    person: person.id,
    agent: agent.name,
  };
}

/** A mention in a text: its name, and its range from the `@` on. */
interface Mention {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const letter = /[\p{L}\p{N}_]/u;

/** Finds the first mention of one of the names, in any case. If several names match, returns the longest. */
export function findMention(text: string, names: readonly string[]): Mention | undefined {
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (isInsideWord(text, at)) continue;
    const name = longestFirst.find((one) => isNameAt(text, at + 1, one));
    if (name !== undefined) return { name, from: at, to: at + 1 + name.length };
  }
  return undefined;
}

/** Returns the text without the mention and without a comma or colon after it. */
export function withoutMention(text: string, { from, to }: Mention): string {
  const before = text.slice(0, from);
  const after = text.slice(to).replace(/^[,:]?[ \t]*/, '');
  return `${/^[.;!?]/.test(after) ? before.trimEnd() : before}${after}`.trim();
}

/** True for an `@` in an e-mail address or a path, which does not begin a mention. */
function isInsideWord(text: string, at: number): boolean {
  return at > 0 && /[\p{L}\p{N}_.@/]/u.test(text.slice(at - 1, at));
}

function isNameAt(text: string, at: number, name: string): boolean {
  if (text.slice(at, at + name.length).toLowerCase() !== name.toLowerCase()) return false;
  return !continuesName(text.slice(at + name.length, at + name.length + 2));
}

/** True if `rest` continues the name, as in `@knowledge-base`, `@parley.example`; not a letter of another script. */
function continuesName(rest: string): boolean {
  const [first = '', second = ''] = rest;
  if (/[a-z0-9_]/i.test(first)) return true;
  return (first === '-' || first === '.') && letter.test(second);
}
