/** One call of a method: the caller, the arguments, and the look-ups that all methods share. */

import { refuse } from './refusal.ts';
import type { Channel, Json, Message, Token, Workspace } from './shapes.ts';
import type { World } from './world.ts';

export interface Call {
  readonly method: string;
  readonly args: Json;
  readonly world: World;
  /** Base address of the fake; the URLs in its responses begin with it. */
  readonly url: string;
  readonly token: Token;
  readonly workspace: Workspace;
}

export type Method = (call: Call) => Json;

/** Requirements of a method. */
export interface MethodFacts {
  readonly run: Method;
  /** One of these scopes is enough; an empty list requires none. */
  readonly scopes?: readonly string[] | ((call: Call) => readonly string[]);
  /** The required token: the bot's, the app's, or none (the arguments contain credentials). */
  readonly token?: 'bot' | 'app' | 'none';
  /**
   * Reading methods accept a form or a query, and ignore a JSON body:
   * https://docs.slack.dev/apis/web-api/#methods_supporting_json
   */
  readonly formOnly?: boolean;
}

/** Returns a channel of the caller's workspace that the app can see. */
export function channelOf({ workspace }: Call, id: string | undefined): Channel {
  const channel = id === undefined ? undefined : workspace.channels.get(id);
  if (channel === undefined) refuse('channel_not_found');
  const hidden = channel.kind !== 'channel' && !channel.members.has(workspace.botUser);
  return hidden ? refuse('channel_not_found') : channel;
}

/**
 * Returns a channel that the app may write to. With `open`, an app with the scope `chat:write.public` may also write
 * to a public channel without an invitation.
 */
export function writableChannel(call: Call, id: string | undefined, open = false): Channel {
  const channel = channelOf(call, id);
  const { workspace, token } = call;
  if (channel.archived) refuse('is_archived');
  const invited = channel.members.has(workspace.botUser);
  if (!invited && !(open && channel.kind === 'channel' && token.scopes.has('chat:write.public')))
    refuse('not_in_channel');
  if (channel.restricted !== undefined) refuse(channel.restricted);
  return channel;
}

/** Searches from the newest message, as the functions below do: most calls name a new one, and channels get long. */
export function findMessage(channel: Channel, ts: string | undefined): Message | undefined {
  return channel.messages.findLast(
    (message) => message.ts === ts && message.deletedAt === undefined && message.onlyFor === undefined,
  );
}

export function messageOf(channel: Channel, ts: string | undefined): Message {
  return findMessage(channel, ts) ?? refuse('message_not_found');
}

/**
 * Returns the root of a thread and its replies, oldest first. Replies are newer than the root, so nothing older is
 * searched.
 */
export function inThread({ messages }: Channel, threadTs: string): readonly Message[] {
  const root = messages.findLastIndex(({ ts }) => ts === threadTs);
  const since = root === -1 ? messages : messages.slice(root);
  return since.filter((message) => message.ts === threadTs || message.threadTs === threadTs);
}

/** True if the message was deleted and has no replies; with replies, Slack keeps its thread. */
export function isGone(channel: Channel, threadTs: string): boolean {
  return inThread(channel, threadTs).every(({ deletedAt }) => deletedAt !== undefined);
}

/**
 * Returns the thread of a post. Refuses an unknown root and a root that is a reply. Accepts a deleted root, because
 * Slack keeps a tombstone of it.
 */
export function threadOf(channel: Channel, threadTs: string | undefined): string | undefined {
  if (threadTs === undefined || threadTs === '') return undefined;
  const root = channel.messages.findLast(({ ts }) => ts === threadTs);
  if (root === undefined) return refuse('thread_not_found');
  const isReply = root.threadTs !== undefined && root.threadTs !== root.ts;
  return isReply ? refuse('cannot_reply_to_message') : threadTs;
}
