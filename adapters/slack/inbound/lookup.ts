/** Looks up data that an event lacks: the question's author, and the messages before the question. */

import { defined, plain, plains, text } from '../../../src/kit/json.ts';
import {
  type AdapterHost,
  BridgeError,
  type Exchange,
  type Log,
  type Lookup,
  type MentionRule,
  type Message,
  type Person,
  type Quote,
  questionsIn,
  type Replayed,
} from '../../../src/kit.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { ACT_MARK, SHARE_MARK, timeOf, tsOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import { decodeMessage } from '../receive/decode.ts';
import type { SlackMessage } from '../receive/events.ts';
import type { Reads } from '../receive/reads.ts';
import { mentions, peopleIn, withNames, withoutMention } from './address.ts';
import { isOwn, overheard } from './intake.ts';
import { beginning, messageMarkdown, messageQuotes, quotedText } from './message-text.ts';
import type { People } from './people.ts';

/** Maximum number of people whose names are looked up for one question; for all others, the text keeps their ids. */
const MAX_NAMES = 30;

interface LookupDeps {
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly reads: Reads;
  /** Returns the rule for messages without a mention. */
  readonly ruleOf: AdapterHost['mentionRule'];
  readonly log: Log;
}

export function createLookup(deps: LookupDeps): Required<Lookup> {
  return {
    async complete(message, signal) {
      const workspace = await installed(message, deps.workspaces);
      const [sender, before] = await Promise.all([
        findSender(message, workspace, { deps, signal }),
        readUnseen(message, workspace, { deps, signal }),
      ]);
      return named({ ...message, sender }, before, { workspace, deps, signal });
    },
    async history(message, _agent, signal): Promise<readonly Exchange[]> {
      const workspace = await installed(message, deps.workspaces);
      const earlier = await readBefore(message, workspace, { deps, signal });
      return exchanges(earlier, workspace, deps.ruleOf(message.thread));
    },
  };
}

interface Looking {
  readonly deps: LookupDeps;
  readonly signal: AbortSignal;
}

async function installed({ thread }: Message, workspaces: Workspaces): Promise<Workspace> {
  const workspace = await workspaces.ofTenant(thread.tenant);
  if (workspace !== undefined) return workspace;
  throw new BridgeError(
    'channel-unavailable',
    `The app is no longer installed in the workspace ${thread.tenant}.`,
  );
}

/**
 * Looks up the sender in Slack. Rejects with `access-denied` if the look-up fails, because rights depend on the sender.
 */
async function findSender(
  message: Message,
  workspace: Workspace,
  { deps, signal }: Looking,
): Promise<Person> {
  const { sender } = message;
  // `users.info` does not return bots whose id begins with B, because these have no user.
  if (sender.standing === 'bot' && sender.id.startsWith('B')) return sender;
  const found = await deps.people.find(workspace, sender.id, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    if (cause instanceof BridgeError && cause.code === 'access-denied') throw cause;
    throw new BridgeError('access-denied', `Slack did not identify the person ${sender.id}.`, {
      cause,
      tellUser: 'I could not look up who you are in Slack just now. Please ask again in a minute.',
    });
  });
  const standing = sender.standing === 'bot' ? 'bot' : found.standing;
  return { ...sender, ...found, standing };
}

/**
 * Returns the thread's messages that the agent has not seen. In a direct message there are none, because every message
 * goes to the agent. If the thread cannot be read, the question is sent without these messages.
 */
async function readUnseen(
  message: Message,
  workspace: Workspace,
  looking: Looking,
): Promise<readonly Unnamed[]> {
  if (message.thread.kind === 'direct') return [];
  try {
    const before = await readBefore(message, workspace, looking);
    return unseen(before, workspace, looking.deps.ruleOf(message.thread));
  } catch (err) {
    looking.signal.throwIfAborted();
    looking.deps.log.warn({ err, tenant: workspace.tenant }, 'the context of a thread could not be read');
    return [];
  }
}

/** Reads the thread's messages before the question, oldest first. */
async function readBefore(
  { id, thread }: Message,
  workspace: Workspace,
  { deps, signal }: Looking,
): Promise<readonly SlackMessage[]> {
  const before = tsOf(id);
  if (thread.key === before || isPrivate(thread)) return [];
  const { room: channel, key: ts } = thread;
  const found: SlackMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const args = { channel, ts, limit: PAGE, include_all_metadata: true, cursor };
    const answer = await deps.reads.call(workspace, 'conversations.replies', args, signal);
    found.push(...plains(answer.messages).flatMap((each) => decodeMessage(each, { channel }) ?? []));
    cursor = text(plain(answer.response_metadata).next_cursor);
    if (cursor === undefined) break;
  }
  // A deleted first message stays as a tombstone, whose text was written by Slack.
  return found.filter(({ ts: at, subtype }) => Number(at) < Number(before) && subtype !== 'tombstone');
}

/** Replaces people's ids by their names in the question and its quotes. Ids of unknown people stay. */
async function named(
  message: Message,
  before: readonly Unnamed[],
  { workspace, deps, signal }: Looking & { workspace: Workspace },
): Promise<Message> {
  const written = [
    message.text,
    ...message.quoted.map(({ text }) => text),
    ...before.map(({ text }) => text),
  ];
  const ids = new Set([...before.flatMap(({ user }) => user ?? []), ...peopleIn(written.join('\n'))]);
  const names = new Map<string, string>();
  await Promise.all(
    [...ids].slice(0, MAX_NAMES).map(async (id) => {
      const person = await deps.people.find(workspace, id, signal).catch(() => undefined);
      if (person !== undefined) names.set(id, person.name);
    }),
  );
  signal.throwIfAborted();
  const nameOf = (id: string) => names.get(id);
  const quote = ({ user, ...given }: Unnamed): Quote => ({
    ...given,
    author: (user === undefined ? undefined : names.get(user)) ?? given.author,
    text: withNames(given.text, nameOf),
  });
  return {
    ...message,
    text: withNames(message.text, nameOf),
    quoted: [...before, ...message.quoted].map(quote),
  };
}

/**
 * Messages per page, and maximum number of pages read from one thread. Slack returns the oldest page first, so the
 * newest messages of a longer thread are not read.
 */
const PAGE = 200;
const PAGES = 5;
/** Maximum quotes sent with a question, and maximum UTF-16 units of each. */
const QUOTES = 20;
const QUOTE_CHARS = 4_000;
/**
 * Maximum number of exchanges (a question with its answer) sent as history, and their maximum UTF-16 units in total.
 * The bridge uses the same limits for agents that keep no session on the platform.
 */
const EXCHANGES = 20;
const HISTORY_CHARS = 24_000;

type Role = 'ours' | 'asked' | 'said';

/** Returns each message's role: an answer of the app, a question to it, or talk between people. */
function roles(messages: readonly SlackMessage[], workspace: Workspace, rule: MentionRule): readonly Role[] {
  const questions = questionsIn(
    messages.map((message) => replayed(message, workspace)),
    rule,
  );
  return messages.map((message, at) => {
    if (isOwn(message, workspace)) return roleOfOwn(message);
    return questions[at] === true ? 'asked' : 'said';
  });
}

/** Messages of other apps are heard as those of everybody: they are no questions, and change nothing for people. */
function replayed(message: SlackMessage, workspace: Workspace): Replayed {
  const markdown = messageMarkdown(message);
  const asks = mentions(`${message.text}\n${markdown}`, workspace.botUser);
  const { user = '', ts, bot } = message;
  if (isOwn(message, workspace)) {
    const role = roleOfOwn(message);
    return role === 'asked' ? { kind: 'question', by: '' } : { kind: 'answer' };
  }
  if (asks) return { kind: 'question', by: user, at: timeOf(ts) };
  const heard = overheard(message, markdown, workspace);
  return { kind: 'heard', ...heard, place: bot === undefined ? 'thread' : 'start' };
}

/**
 * Returns the role of one of the app's own messages. A post on behalf of a person never counts as an answer (attack
 * S19: instructions in earlier messages).
 */
function roleOfOwn({ mark }: SlackMessage): Role {
  if (mark === ACT_MARK) return 'asked';
  return mark === SHARE_MARK ? 'said' : 'ours';
}

/** A quoted message with its author's id, before the name is looked up. */
interface Unnamed extends Omit<Quote, 'author'> {
  readonly user?: string;
  readonly author: string;
}

/** Returns the messages that people wrote after the last question or answer. */
function unseen(
  messages: readonly SlackMessage[],
  workspace: Workspace,
  rule: MentionRule,
): readonly Unnamed[] {
  const played = roles(messages, workspace, rule);
  const from = played.findLastIndex((role) => role !== 'said') + 1;
  return messages
    .slice(from)
    .flatMap((message) => quotesOf(message))
    .filter((quote) => quote.text !== '')
    .slice(-QUOTES);
}

function quotesOf(message: SlackMessage): readonly Unnamed[] {
  const { user, bot } = message;
  const own = quotedText(message, beginning(messageMarkdown(message), QUOTE_CHARS));
  const shared = messageQuotes(message).map((quote) => ({
    ...quote,
    text: beginning(quote.text, QUOTE_CHARS),
  }));
  const first = { author: user ?? bot ?? 'somebody', text: own, ...defined({ user }) };
  return [first, ...shared].map((quote) => ({ ...quote, kind: 'earlier' }));
}

/** Pairs each question with the answer that follows it. A question without an answer is joined to the next question. */
function exchanges(
  messages: readonly SlackMessage[],
  workspace: Workspace,
  rule: MentionRule,
): readonly Exchange[] {
  const played = roles(messages, workspace, rule);
  const found: { question: string; answer: string }[] = [];
  let asked: string[] = [];
  for (const [index, message] of messages.entries()) {
    const words = messageMarkdown(message);
    if (played[index] === 'asked') asked.push(withoutMention(words, workspace.botUser));
    if (played[index] !== 'ours') continue;
    const last = found.at(-1);
    if (asked.length > 0) found.push({ question: asked.join('\n\n'), answer: words });
    // A long answer consists of several messages, so append this message.
    else if (last !== undefined) last.answer += `\n\n${words}`;
    asked = [];
  }
  return bounded(found.filter(({ answer }) => answer !== ''));
}

function bounded(found: readonly Exchange[]): readonly Exchange[] {
  const kept: Exchange[] = [];
  let room = HISTORY_CHARS;
  for (const { question, answer } of found.slice(-EXCHANGES).toReversed()) {
    const shortened = {
      question: beginning(question, HISTORY_CHARS / 4),
      answer: beginning(answer, HISTORY_CHARS / 2),
    };
    room -= shortened.question.length + shortened.answer.length;
    if (room < 0) break;
    kept.unshift(shortened);
  }
  return kept;
}
