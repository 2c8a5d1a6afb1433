/** What was said in a thread, read from Slack: its text is kept nowhere else. */

import { plain, plains, text } from '../../../src/kit/json.ts';
import type { Exchange, Quote } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { ACT_MARK, SHARE_MARK } from '../ids.ts';
import { decodeMessage } from '../receive/decode.ts';
import type { SlackMessage } from '../receive/events.ts';
import type { Reads } from '../receive/reads.ts';
import { beginsWithOther, mentions, withoutMention } from './address.ts';
import { messageMarkdown, messageQuotes } from './message-text.ts';

/** Messages of a page, and pages that are read of one thread: the newest are at its end. */
const PAGE = 200;
const PAGES = 5;
/** Quotes that go along, and how much of each (UTF-16 units). */
const QUOTES = 20;
const QUOTE_CHARS = 4_000;
/** Exchanges that go along, and their text together (UTF-16 units): what agents without sessions remember elsewhere too. */
const EXCHANGES = 20;
const HISTORY_CHARS = 24_000;

interface ThreadPlace {
  readonly conversation: string;
  readonly threadTs: string;
  /** The message that asks; it and what follows is left out. */
  readonly before: string;
}

/** The thread's messages before the one that asks, oldest first. */
export async function readThread(
  reads: Reads,
  workspace: Workspace,
  { conversation, threadTs, before }: ThreadPlace,
  signal: AbortSignal,
): Promise<readonly SlackMessage[]> {
  const found: SlackMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const asked = { channel: conversation, ts: threadTs, limit: PAGE, include_all_metadata: true };
    const args = cursor === undefined ? asked : { ...asked, cursor };
    const answer = await reads.call(workspace, 'conversations.replies', args, signal);
    found.push(
      ...plains(answer.messages).flatMap((each) => decodeMessage(each, { channel: conversation }) ?? []),
    );
    cursor = text(plain(answer.response_metadata).next_cursor);
    if (cursor === undefined) break;
  }
  return found.filter(({ ts }) => Number(ts) < Number(before));
}

type Role = 'ours' | 'asked' | 'said';

/** A message of ours, a question to us, or something people said among themselves. */
function roles(messages: readonly SlackMessage[], workspace: Workspace): readonly Role[] {
  let engaged = false;
  return messages.map((message): Role => {
    const said = `${message.text}\n${messageMarkdown(message)}`;
    const role = roleOf(message, said, { workspace, engaged });
    engaged ||= role !== 'said';
    return role;
  });
}

function roleOf(
  message: SlackMessage,
  said: string,
  { workspace, engaged }: { workspace: Workspace; engaged: boolean },
): Role {
  const { botUser, botId } = workspace;
  if (message.user === botUser || (botId !== undefined && message.bot === botId)) return oursOf(message);
  if (mentions(said, botUser)) return 'asked';
  return engaged && message.bot === undefined && !beginsWithOther(said, botUser) ? 'asked' : 'said';
}

/** What a person had the app post are that person's words, and never the agent's (attack S19). */
function oursOf({ metadata }: SlackMessage): Role {
  if (metadata?.type === ACT_MARK) return 'asked';
  return metadata?.type === SHARE_MARK ? 'said' : 'ours';
}

/** Who wrote a quoted message, until the name is looked up. */
export interface Unnamed extends Omit<Quote, 'author'> {
  readonly user?: string;
  readonly author: string;
}

/** What people said since an agent last heard of the thread. */
export function unseen(messages: readonly SlackMessage[], workspace: Workspace): readonly Unnamed[] {
  const played = roles(messages, workspace);
  const from = played.findLastIndex((role) => role !== 'said') + 1;
  return messages
    .slice(from)
    .flatMap((message) => quotesOf(message))
    .filter((quote) => quote.text !== '')
    .slice(-QUOTES);
}

function quotesOf(message: SlackMessage): readonly Unnamed[] {
  const own = cut(messageMarkdown(message), QUOTE_CHARS);
  const shared = messageQuotes(message).map((quote) => ({ ...quote, text: cut(quote.text, QUOTE_CHARS) }));
  const files = message.files.map(({ name }) => `(shared the file ${name})`);
  const words = [own, ...files].filter((each) => each !== '').join('\n');
  const author = message.user ?? message.bot ?? 'somebody';
  return [{ author, text: words, ...(message.user !== undefined && { user: message.user }) }, ...shared];
}

/** Questions with the answers that followed them; a question without an answer is joined to the next. */
export function exchanges(messages: readonly SlackMessage[], workspace: Workspace): readonly Exchange[] {
  const played = roles(messages, workspace);
  const found: { question: string; answer: string }[] = [];
  let asked: string[] = [];
  for (const [index, message] of messages.entries()) {
    const words = messageMarkdown(message);
    if (played[index] === 'asked') asked.push(withoutMention(words, workspace.botUser));
    if (played[index] !== 'ours') continue;
    const last = found.at(-1);
    if (asked.length > 0) found.push({ question: asked.join('\n\n'), answer: words });
    // A long answer is several messages.
    else if (last !== undefined) last.answer += `\n\n${words}`;
    asked = [];
  }
  return bounded(found.filter(({ answer }) => answer !== ''));
}

function bounded(found: readonly Exchange[]): readonly Exchange[] {
  const kept: Exchange[] = [];
  let room = HISTORY_CHARS;
  for (const { question, answer } of found.slice(-EXCHANGES).toReversed()) {
    const shortened = { question: cut(question, HISTORY_CHARS / 4), answer: cut(answer, HISTORY_CHARS / 2) };
    room -= shortened.question.length + shortened.answer.length;
    if (room < 0) break;
    kept.unshift(shortened);
  }
  return kept;
}

/** The beginning of a text, never ending inside a surrogate pair. */
function cut(words: string, length: number): string {
  return words.length <= length ? words : words.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
