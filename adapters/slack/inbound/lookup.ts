/** Looks up data that an event lacks: the question's author, and the messages before the question. */

import {
  type AgentName,
  boundedHistory,
  type Cache,
  completeSender,
  createCache,
  type Exchange,
  type MentionRule,
  plains,
  questionsIn,
  type Replayed,
  share,
} from '../../../src/kit/ladder.ts';
import {
  type AdapterHost,
  BridgeError,
  type Clock,
  type FileRef,
  type Log,
  type Message,
  type Person,
} from '../../../src/kit.ts';
import type { Read, Reads } from '../api/calls.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { ACT_MARK, SHARE_MARK, timeOf } from '../ids.ts';
import type { SlackMessage } from '../receive/events.ts';
import { mentions, withoutMention } from './address.ts';
import { passedOn, withFiles } from './files.ts';
import { isOwn, overheard } from './intake.ts';
import { messageFiles, messageMarkdown, quotesOf, type Unnamed } from './message-text.ts';
import { createNames, type Names } from './names.ts';
import type { People } from './people.ts';
import { readThread, type Thread } from './thread.ts';
import { readInView } from './view.ts';

interface LookupDeps {
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly calls: Reads;
  /** Returns the rule for messages without a mention. */
  readonly ruleOf: AdapterHost['mentionRule'];
  readonly clock: Clock;
  readonly log: Log;
}

/** State that the look-ups of one question share. */
interface Looking extends LookupDeps {
  readonly names: Names;
  readonly threads: Cache<Promise<Thread>>;
  readonly workspace: Workspace;
  readonly read: Read;
  readonly signal: AbortSignal;
}

/** Maximum number of threads that are kept, and their time in milliseconds: as long as a question is prepared. */
const THREADS = { max: 200, ttlMs: 60_000 };

export type SlackLookup = ReturnType<typeof createLookup>;

export function createLookup(given: LookupDeps) {
  const names = createNames(given);
  const threads: Looking['threads'] = createCache({ clock: given.clock, ...THREADS });
  const look = async ({ thread: { tenant } }: Message, signal: AbortSignal): Promise<Looking> => {
    const workspace = await given.workspaces.ofTenant(tenant);
    if (workspace !== undefined) {
      const read: Read = (method, args) => given.calls.read(workspace, method, args, signal);
      return { ...given, names, threads, workspace, read, signal };
    }
    throw new BridgeError(
      'channel-unavailable',
      `The app is no longer installed in the workspace ${tenant}.`,
    );
  };
  return {
    async complete(message: Message, signal: AbortSignal) {
      const looking = await look(message, signal);
      const [sender, before] = await Promise.all([
        findSender(message, looking),
        readUnseen(message, looking),
      ]);
      return named({ ...message, sender }, before, looking);
    },
    sender: async (message: Message, signal: AbortSignal) => findSender(message, await look(message, signal)),
    quotes: (message: SlackMessage, workspace: Workspace, signal: AbortSignal) =>
      names.named('', quotesOf(message, undefined), workspace, signal),
    async history(message: Message, _agent: AgentName, signal: AbortSignal): Promise<readonly Exchange[]> {
      const looking = await look(message, signal);
      const { messages } = await threadOf(message, looking);
      return exchanges(messages, looking.workspace, looking.ruleOf(message.thread));
    },
  };
}

async function findSender({ sender }: Message, { people, workspace, signal }: Looking): Promise<Person> {
  // `users.info` does not return bots whose id begins with B, because these have no user.
  if (sender.standing === 'bot' && sender.id.startsWith('B')) return sender;
  return completeSender('Slack', sender, () => people.find(workspace, sender.id, signal), signal);
}

/** Describes what the agent does not get of a question, before names replace ids. */
interface Found {
  readonly quoted: readonly Unnamed[];
  readonly files: readonly FileRef[];
  /** Descriptions of earlier messages that the agent does not get. */
  readonly omitted: readonly string[];
}

/**
 * Returns the thread's messages that the agent has not seen. In a direct message there are none, because every message
 * goes to the agent. If the thread cannot be read, the question is sent without these messages, and says so.
 */
async function readUnseen(message: Message, looking: Looking): Promise<Found> {
  if (message.thread.kind === 'direct') return { quoted: [], files: [], omitted: [] };
  try {
    const thread = await threadOf(message, looking);
    return unseen(thread, looking.workspace, looking.ruleOf(message.thread));
  } catch (err) {
    looking.signal.throwIfAborted();
    const { tenant } = message.thread;
    looking.log.warn({ err, tenant }, 'the context of a thread could not be read');
    return { quoted: [], files: [], omitted: [EARLIER] };
  }
}

/** Reads the thread once for a question, although both its context and the agent's history need it. */
function threadOf(message: Message, looking: Looking): Promise<Thread> {
  const { threads, read, log, signal } = looking;
  const key = JSON.stringify([message.thread.tenant, message.id, message.thread.key]);
  return threads.get(key) ?? share(threads, key, readThread(message, read, log, signal));
}

/** Replaces ids by names in the question and its quotes, and reads what the event only names. */
async function named(question: Message, before: Found, looking: Looking): Promise<Message> {
  const { names, workspace, read, signal } = looking;
  const message = await withFiles(question, read);
  const own = await Promise.all(
    message.quoted.map(async (quote) => {
      const seen = await readInView(quote, message, read).catch(() => undefined);
      return seen === undefined ? [quote] : quotesOf(seen, 'view');
    }),
  );
  const omitted = [...(message.omitted ?? []), ...before.omitted];
  return {
    ...message,
    files: [...message.files, ...before.files],
    ...(await names.named(message.text, [...before.quoted, ...own.flat()], workspace, signal)),
    ...(omitted.length > 0 && { omitted }),
  };
}

/** Maximum quotes sent with a question. */
const QUOTES = 20;
/** Maximum files of earlier messages. */
const FILES = 5;

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

/** Messages of other apps are no questions, and do not make people need a mention. */
function replayed(message: SlackMessage, workspace: Workspace): Replayed {
  const { user = '', ts, bot } = message;
  if (isOwn(message, workspace))
    return roleOfOwn(message) === 'asked' ? { kind: 'question', by: '' } : { kind: 'answer' };
  const markdown = messageMarkdown(message);
  if (mentions(markdown, workspace.botUser)) return { kind: 'question', by: user, at: timeOf(ts) };
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

const EARLIER = 'earlier messages of this thread';

/** Returns the messages that people wrote after the last question or answer. */
function unseen({ messages, unread }: Thread, workspace: Workspace, rule: MentionRule): Found {
  const played = roles(messages, workspace, rule);
  const last = played.findLastIndex((role) => role !== 'said');
  const later = messages.slice(last + 1);
  const quotes = later.flatMap((message) => quotesOf(message, 'earlier'));
  const quoted = quotes.slice(-QUOTES);
  // A question is often about a picture or a log that somebody else posted before (openclaw/openclaw#1479).
  const files = passedOn(
    later.flatMap((each) => messageFiles(each)),
    workspace.tenant,
  )
    .files.slice(-FILES)
    .map((file) => ({ ...file, earlier: true }));
  // Older messages than those that were read matter only if no question or answer is among the latter.
  const missing = last >= 0 && unread !== 0 ? 0 : unread;
  if (missing === undefined) return { quoted, files, omitted: [EARLIER] };
  const count = missing + Math.max(0, quotes.length - QUOTES);
  return {
    quoted,
    files,
    omitted: count === 0 ? [] : [`${count} ${count === 1 ? 'earlier message' : EARLIER}`],
  };
}

/** Pairs each question with the answer that follows it. A question without an answer is joined to the next question. */
function exchanges(
  messages: readonly SlackMessage[],
  workspace: Workspace,
  rule: MentionRule,
): readonly Exchange[] {
  const played = roles(messages, workspace, rule);
  const found: { question: string; answer: string }[] = [];
  let questions: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (played[index] === 'asked')
      questions.push(withoutMention(messageMarkdown(message), workspace.botUser));
    if (played[index] !== 'ours') continue;
    const words = answerIn(message);
    const last = found.at(-1);
    if (questions.length > 0) found.push({ question: questions.join('\n\n'), answer: words });
    // A long answer consists of several messages, so append this message.
    else if (last !== undefined) last.answer += `\n\n${words}`;
    questions = [];
  }
  return boundedHistory(found.filter(({ answer }) => answer !== ''));
}

/** Returns the text of one of the app's answers, without the labels of its controls. */
function answerIn({ bot, ...message }: SlackMessage): string {
  const blocks = plains(message.blocks).filter(({ type }) => !CONTROLS.has(String(type)));
  return messageMarkdown({ ...message, blocks });
}

const CONTROLS = new Set(['actions', 'context_actions']);
