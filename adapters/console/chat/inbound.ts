/** Converts a message of the console into the bridge's `Message`. Pure. */

import { agentName, type Overheard, readAgent } from '../../../src/kit/ladder.ts';
import { defined, type Message, type Person, type Quote, type ThreadRef } from '../../../src/kit.ts';
import type { ConsolePerson } from '../config.ts';
import type { RoomView } from '../wire.ts';
import { type AgentQuestion, DIRECT_THREAD, type MessageRecord } from './records.ts';

/** Tenant of all threads. A console has only one tenant, because it has only one workspace. */
export const TENANT = 'console';
export const CHANNEL = 'console';

/** Maximum number of people's messages quoted with a question, and maximum UTF-16 units of each. */
const QUOTES = 5;
const QUOTE_CHARS = 2_000;

export interface ThreadContext {
  readonly botName: string;
  readonly agents: readonly string[];
  readonly people: readonly ConsolePerson[];
}

/**
 * Returns the question in a message, and the agent that the message asks.
 * @param kind in a direct room, the text is not searched for names of agents, because the room belongs to one agent
 */
export function readAsked(text: string, kind: RoomView['kind'], context: ThreadContext): AgentQuestion {
  return readMentioned(text, context) ?? (kind === 'direct' ? { text } : named(text, context));
}

/**
 * Returns the question in a message that mentions the bot or an agent, or begins with the name of an agent that does
 * not exist, such as `@nope: question`. Returns undefined for other messages.
 */
export function readMentioned(text: string, context: ThreadContext): AgentQuestion | undefined {
  const mention = findMention(text, [context.botName, ...context.agents]);
  if (mention === undefined) return readMisnamed(text.trimStart(), context);
  const agent = context.agents.find((name) => name === mention.name);
  const words = withoutMention(text, mention);
  return agent === undefined ? named(words, context) : { agent, text: words };
}

/** Names that address people but belong to no single person. */
const GROUPS = ['all', 'channel', 'everybody', 'everyone', 'folks', 'here', 'room', 'team'];

/** Returns the question to an agent that does not exist. The bridge replies to it with a list of its agents. */
function readMisnamed(text: string, { agents, people }: ThreadContext): AgentQuestion | undefined {
  const words = namesOf(people).flatMap((name) => [name, ...name.split(' ')]);
  if (!text.startsWith('@') || findMention(text, [...words, ...GROUPS])?.from === 0) return undefined;
  const read = readAgent(text, agents);
  return read.agent === undefined ? undefined : read;
}

/** Returns where the text mentions a person: at the beginning, or later. */
export function personIn(text: string, people: readonly ConsolePerson[]): Overheard['other'] {
  const found = findMention(text.trimStart(), namesOf(people));
  if (found === undefined) return undefined;
  return found.from === 0 ? 'first' : 'later';
}

/** Maximum mentions that are looked up in a message. */
const MENTIONS = 20;

/** Returns the ids of the people whom the text mentions. */
export function mentionedIn(text: string, people: readonly ConsolePerson[]): readonly string[] {
  const places = [...text.matchAll(AT)].map(({ index }) => index);
  const isAt = ({ id, name }: ConsolePerson, at: number) =>
    [name, id].some((one) => isNameAt(text, at + 1, one));
  const found = places.slice(0, MENTIONS).flatMap((at) => people.filter((person) => isAt(person, at)));
  return [...new Set(found.map(({ id }) => id))];
}

function named(text: string, { agents, people }: ThreadContext): AgentQuestion {
  return readAgent(text, agents, namesOf(people));
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
    ...defined({ email: person.email, groups: person.groups }),
    standing: person.standing ?? 'member',
  };
}

interface Context {
  readonly room: RoomView;
  readonly asked: AgentQuestion;
  readonly sender: ConsolePerson;
  /** Preferred language of the sender's browser, as a BCP 47 tag. */
  readonly locale?: string | undefined;
  /** Messages of the thread up to this message, oldest first. */
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
    files: record.files.map(({ image: _image, ...file }) => file),
    sentAt: record.at,
    revision: record.revision ?? 0,
  };
}

/**
 * Quotes the messages that people wrote after the thread's last question or reply, because the agent has not seen them.
 */
function quotes(record: MessageRecord, earlier: readonly MessageRecord[]): readonly Quote[] {
  const own = earlier.findIndex((one) => one.id === record.id);
  const before = own < 0 ? earlier : earlier.slice(0, own);
  const last = before.findLastIndex((one) => one.asked ?? one.reply);
  return before
    .slice(last + 1)
    .filter((one) => one.author.kind === 'person' && one.text !== '')
    .slice(-QUOTES)
    .map((one) => ({ author: one.author.name, text: one.text.slice(0, QUOTE_CHARS), kind: 'earlier' }));
}

/** Returns the direct room of a person and an agent. It is stored only with its first message. */
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

/** A mention in a text: the name, and the range from the `@` to the end of the name. */
interface Mention {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const letter = /[\p{L}\p{N}_]/u;
/** Matches an `@` that may begin a mention, because it belongs to no e-mail address and no path. */
const AT = /(?<![\p{L}\p{N}_.@/])@/gu;

/**
 * Returns the text's first mention of one of the names, ignoring case. If several names match there, the longest
 * counts.
 */
export function findMention(text: string, names: readonly string[]): Mention | undefined {
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  for (const { index: at } of text.matchAll(AT)) {
    const name = longestFirst.find((one) => isNameAt(text, at + 1, one));
    if (name !== undefined) return { name, from: at, to: at + 1 + name.length };
  }
  return undefined;
}

/** Returns the text without the mention and the comma or colon that follows it. */
export function withoutMention(text: string, { from, to }: Mention): string {
  const before = text.slice(0, from);
  const after = text.slice(to).replace(/^[,:]?[ \t]*/, '');
  return `${/^[.;!?]/.test(after) ? before.trimEnd() : before}${after}`.trim();
}

function isNameAt(text: string, at: number, name: string): boolean {
  if (text.slice(at, at + name.length).toLowerCase() !== name.toLowerCase()) return false;
  return !continuesName(text.slice(at + name.length, at + name.length + 2));
}

/**
 * True if the word continues after the name, as in `@knowledge-base` or `@parley.example`. A letter of another script
 * ends the word, because such text may have no spaces.
 */
function continuesName(rest: string): boolean {
  const [first = '', second = ''] = rest;
  if (/[a-z0-9_]/i.test(first)) return true;
  return (first === '-' || first === '.') && letter.test(second);
}
