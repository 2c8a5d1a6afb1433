/**
 * Converts Slack's events into questions for the bridge. Uses no network, because Slack waits for the acknowledgement.
 */

import {
  agentName,
  ask,
  type Overheard,
  offer,
  onceFor,
  readAgent,
  type Talk,
} from '../../../src/kit/ladder.ts';
import { defined, type Message, type Person, type ThreadRef } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { CHANNEL, messageId, revisionOf, timeOf } from '../ids.ts';
import type { EventOf, SlackEvent, SlackFile, SlackMessage } from '../receive/events.ts';
import { mentions, otherIn, withoutHeadStyle, withoutMention, withoutOuterStyle } from './address.ts';
import { passedOn } from './files.ts';
import { messageFiles, messageMarkdown, messageQuotes, type Unnamed } from './message-text.ts';
import { viewQuotes } from './view.ts';

export async function takeIn(event: SlackEvent, workspace: Workspace, deps: Talk): Promise<void> {
  switch (event.kind) {
    case 'said':
      return onMessage(event.message, workspace, deps);
    case 'edited':
      return onEdit(event, workspace, deps);
    case 'deleted': {
      const message = messageId(event.conversation, event.ts);
      await deps.host.intake({ kind: 'delete', thread: threadOf(event, workspace), message });
      return;
    }
    case 'stopped': {
      const thread = threadOf({ ...event, ts: event.threadTs }, workspace);
      await deps.host.intake({
        kind: 'stop',
        thread,
        streams: event.streams,
        by: personOf({ user: event.user }),
      });
    }
  }
}

async function onMessage(message: SlackMessage, workspace: Workspace, deps: Talk): Promise<void> {
  if (isOwn(message, workspace) || !hasAuthor(message)) return;
  const markdown = messageMarkdown(message);
  if (!(await isAsked(message, markdown, workspace, deps))) return;
  const question = toMessage(message, markdown, workspace, deps.host);
  if (message.edited !== undefined) return onEditedMention(message, question, deps);
  await (ON_ANSWER.test(question.text)
    ? onceFor(question, deps, () => ask(question, deps))
    : ask(question, deps));
}

/**
 * Matches the commands that act on an answer. They must be handled once (`onceFor`), but Slack delivers a mention as
 * two events, and may repeat an event under another id (https://github.com/slackapi/node-slack-sdk/issues/2141).
 */
const ON_ANSWER = /^\s*\/?(?:stop|instead|sources)\s*$/i;

/**
 * Handles the mention that Slack sends for each edit of a message with a mention, beside the event of the edit
 * (https://github.com/slack-go/slack/pull/1256). The latter also contains the message before the edit, which the bridge
 * may have forgotten if the message is old.
 */
async function onEditedMention(message: SlackMessage, question: Message, deps: Talk): Promise<void> {
  if (isRecent(message)) await offer({ kind: 'edit', message: question, fresh: true }, question, deps);
}

/**
 * Passes an edit on. An edited question is asked again. An edit becomes a new question if it adds a mention of the bot.
 * It also becomes a new question if its event arrives before the event of the original message; the bridge then drops
 * the original message as a duplicate.
 */
async function onEdit(
  { message, before }: EventOf<'edited'>,
  workspace: Workspace,
  deps: Talk,
): Promise<void> {
  if (isOwn(message, workspace) || !hasAuthor(message)) return;
  if (before !== undefined && visibleIn(before) === visibleIn(message)) return;
  const markdown = messageMarkdown(message);
  const isMentioned = [markdown, message.text].some((words) => mentions(words, workspace.botUser));
  const mentioned = before !== undefined && mentions(messageMarkdown(before), workspace.botUser);
  // The bridge decided this when the message was written, and stored the decision.
  const mayBeAsked = isMentioned || mentioned || (await isInvolved(threadOf(message, workspace), deps));
  if (!mayBeAsked) return;
  const question = toMessage(message, markdown, workspace, deps.host);
  const addsMention = before !== undefined && !mentioned && mentions(markdown, workspace.botUser);
  const fresh = addsMention || (isRecent(message) && wasQuestion(message, mentioned));
  await offer({ kind: 'edit', message: question, fresh }, question, deps);
}

/**
 * Returns what people see of a message. Apps edit the metadata of their messages, which changes nothing for people
 * (https://github.com/NousResearch/hermes-agent/pull/89639).
 */
const visibleIn = (message: SlackMessage): string =>
  JSON.stringify([
    messageMarkdown(message),
    messageQuotes(message),
    messageFiles(message).map(({ id }) => id),
  ]);

/**
 * Maximum time between a message and its edit, in milliseconds. Within this time, the event of the edit may arrive
 * before the event of the message, because Slack may have to repeat the event of the message.
 */
const RECENT_MS = 24 * 60 * 60_000;

const isRecent = ({ ts, edited = ts }: SlackMessage): boolean => timeOf(edited) - timeOf(ts) < RECENT_MS;

/**
 * True if the message was certainly a question before the edit. Outside direct messages, a message without a mention
 * may or may not have been a question.
 */
const wasQuestion = (message: SlackMessage, mentioned: boolean): boolean =>
  mentioned || (kindOf(message) === 'direct' && message.bot === undefined);

/** True for the app's own messages, which Slack also delivers as events. */
export function isOwn({ user, bot }: SlackMessage, { botUser, botId }: Workspace): boolean {
  return user === botUser || (bot !== undefined && bot === botId);
}

/**
 * True if the message has a user or a bot as its author. Messages from older integrations, and messages posted under
 * another name, have only a bot.
 */
const hasAuthor = ({ user, bot }: SlackMessage): boolean => user !== undefined || bot !== undefined;

/** True if messages of the thread without a mention may have been questions. */
const isInvolved = async (thread: ThreadRef, { host, engagement }: Talk): Promise<boolean> =>
  thread.kind === 'direct' || host.mentionRule(thread) === 'open' || engagement.has(thread);

/**
 * True if the message is a question for the bridge: it mentions the bot, or the rule for messages without a mention says
 * so. Other apps must always mention the bot; otherwise two bots could answer each other forever.
 */
async function isAsked(
  message: SlackMessage,
  markdown: string,
  workspace: Workspace,
  { host, engagement }: Talk,
): Promise<boolean> {
  if (message.mentionsApp === true || mentions(markdown, workspace.botUser)) return true;
  if (message.bot !== undefined) return false;
  const thread = threadOf(message, workspace);
  return engagement.isQuestion(overheard(message, markdown, workspace), host.mentionRule(thread));
}

/** Returns what decides about a message that does not mention the bot. */
export function overheard(message: SlackMessage, markdown: string, workspace: Workspace): Overheard {
  const { user = '', ts, threadTs, text, files, attachments } = message;
  return {
    thread: threadOf(message, workspace),
    by: user,
    at: timeOf(ts),
    text: markdown,
    hasMore: attachments.length > 0 || files.some(({ type }) => type !== 'image/gif'),
    other: otherIn([markdown, text], workspace.botUser),
    place: threadTs === undefined ? 'start' : 'thread',
  };
}

type Placed = Pick<SlackMessage, 'conversation' | 'conversationType' | 'ts' | 'threadTs'>;

export function threadOf(placed: Placed, { tenant }: Workspace): ThreadRef {
  const { conversation: room, ts, threadTs } = placed;
  return { channel: CHANNEL, tenant, room, key: threadTs ?? ts, kind: kindOf(placed) };
}

/**
 * Returns the kind of conversation, from the event's type or, if that is missing, from the id: ids of direct messages
 * begin with D.
 */
function kindOf({ conversation, conversationType }: Placed): ThreadRef['kind'] {
  if (conversationType === 'im' || conversation.startsWith('D')) return 'direct';
  return conversationType === 'mpim' ? 'group' : 'room';
}

/** Describes the author with the event's data only; the person is looked up in Slack when the turn runs. */
function personOf({ user, bot, name, team }: Pick<SlackMessage, 'user' | 'bot' | 'name' | 'team'>): Person {
  const id = user ?? bot ?? '';
  const standing = bot === undefined ? 'member' : 'bot';
  return { id, name: name ?? id, standing, ...defined({ home: team }) };
}

export function toMessage(
  message: SlackMessage,
  markdown: string,
  workspace: Workspace,
  { agents }: Pick<Talk['host'], 'agents'>,
): Message {
  const { text, agent } = readWords(withoutMention(markdown, workspace.botUser), agents());
  const { files, omitted } = passedOn(messageFiles(message), workspace.tenant);
  return {
    id: messageId(message.conversation, message.ts),
    thread: threadOf(message, workspace),
    sender: personOf(message),
    text: [text, ...spokenIn(message)].filter(Boolean).join('\n\n'),
    ...(agent !== undefined && { agent: agentName(agent) }),
    quoted: [...messageQuotes(message), ...quotedFiles(message), ...viewQuotes(message)],
    files,
    ...(omitted.length > 0 && { omitted }),
    sentAt: timeOf(message.ts),
    revision: message.edited === undefined ? 0 : revisionOf(message.edited),
  };
}

/** Finds the agent that the words name. A style around the name or around all words is ignored. */
function readWords(words: string, agents: readonly { readonly name: string }[]) {
  const names = agents.map(({ name }) => name);
  const plain = withoutOuterStyle(words);
  const named = [withoutHeadStyle(plain), plain].map((each) => readAgent(each, names));
  return named.find(({ agent }) => agent !== undefined) ?? { text: plain };
}

/** True if the words are a transcript of the author's own recording. A file may be shared by another person. */
const isSpoken = ({ words, owner }: SlackFile, { user }: SlackMessage): boolean =>
  words?.kind === 'transcript' && (owner === undefined || owner === user);

/** Returns the transcripts of the author's recordings, which are the author's own words. */
const spokenIn = (message: SlackMessage): readonly string[] =>
  message.files.flatMap((file) => (file.words && isSpoken(file, message) ? file.words.text : []));

/** Returns the e-mails, and the recordings of other people. */
const quotedFiles = (message: SlackMessage): readonly Unnamed[] =>
  message.files.flatMap((file): readonly Unnamed[] => {
    const { words, owner } = file;
    if (words === undefined || words.kind === 'preview' || isSpoken(file, message)) return [];
    if (words.kind === 'mail') return [{ author: words.author ?? '', text: words.text }];
    return [{ author: owner ?? '', text: words.text, ...defined({ user: owner }) }];
  });
