/** Implements conversations.*: rooms, their members and their messages. */

import { messageJson } from '../answers.ts';
import { flag, needText, number, text } from '../args.ts';
import { type Call, channelOf, inThread } from '../call.ts';
import { refuse } from '../refusal.ts';
import type { Channel, Json, Message } from '../shapes.ts';
import { expireStream } from '../stream/life.ts';
import { directMessage } from '../world.ts';
import { historyScope } from './post.ts';

/**
 * Page sizes. The default is 100. Slack's maximum is 999 or 1,000, depending on the method; the fake's maximum is
 * 999. https://docs.slack.dev/apis/web-api/pagination
 */
const PAGE = { usual: 100, most: 999 };

/** Returns the required scope, which depends on the kind of the room: `channels:read`, `groups:history`, … */
export const scopesFor =
  (right: 'read' | 'history') =>
  (call: Call): readonly string[] => {
    const channel = call.workspace.channels.get(text(call.args, 'channel') ?? '');
    if (channel === undefined) return [];
    return [historyScope(channel).replace('history', right)];
  };

export function info(call: Call): Json {
  const channel = channelOf(call, needText(call.args, 'channel'));
  return { channel: channelJson(call, channel) };
}

function channelJson({ workspace, args }: Call, channel: Channel): Json {
  const { id, name, kind } = channel;
  const common = { id, created: 1_790_000_000, is_archived: channel.archived, context_team_id: workspace.id };
  if (kind === 'im') return { ...common, is_im: true, user: channel.partner ?? '', is_org_shared: false };
  return {
    ...common,
    name,
    name_normalized: name,
    is_channel: kind === 'channel',
    is_group: kind === 'group',
    is_im: false,
    is_mpim: kind === 'mpim',
    is_private: kind !== 'channel',
    is_general: false,
    is_member: channel.members.has(workspace.botUser),
    is_shared: channel.external,
    is_ext_shared: channel.external,
    is_org_shared: false,
    topic: { value: '', creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    ...(flag(args, 'include_num_members') === true ? { num_members: channel.members.size } : {}),
  };
}

export function members(call: Call): Json {
  const channel = channelOf(call, needText(call.args, 'channel'));
  const { page, next } = pageOf(call, [...channel.members]);
  return { members: page, response_metadata: { next_cursor: next } };
}

export function join(call: Call): Json {
  const channel = channelOf(call, needText(call.args, 'channel'));
  if (channel.kind !== 'channel') refuse('method_not_supported_for_channel_type');
  if (channel.archived) refuse('is_archived');
  channel.members.add(call.workspace.botUser);
  return { channel: channelJson(call, channel) };
}

export function open(call: Call): Json {
  const { args, workspace, world } = call;
  const known = text(args, 'channel');
  if (known !== undefined) return { channel: { id: channelOf(call, known).id } };
  const users = (text(args, 'users') ?? refuse('users_list_not_supplied')).split(',');
  const [user] = users;
  if (user === undefined || users.some((each) => !workspace.people.has(each)))
    return refuse('user_not_found');
  if (users.length > 1) return refuse('method_not_supported_for_channel_type');
  return { channel: { id: directMessage(world, workspace, user).id } };
}

/** Returns the messages of a room, newest first, without replies in threads unless they were also sent to the room. */
export function history(call: Call): Json {
  const channel = readable(call);
  const rootsOnly = channel.messages.filter(
    ({ ts, threadTs, broadcast }) => threadTs === undefined || threadTs === ts || broadcast,
  );
  const found = rootsOnly.filter((message) => shown(call, message)).toReversed();
  return listing(call, channel, found);
}

/** Returns the messages of a thread, oldest first: the root, then its replies. */
export function replies(call: Call): Json {
  const channel = readable(call);
  const ts = needText(call.args, 'ts');
  const root = channel.messages.findLast((message) => message.ts === ts && message.onlyFor === undefined);
  if (root === undefined) return refuse('thread_not_found');
  const answers = inThread(channel, ts).filter((message) => message.ts !== ts);
  // A deleted root stays as a tombstone while its thread has replies.
  const isEmpty = answers.every(({ deletedAt, onlyFor }) => deletedAt !== undefined || onlyFor !== undefined);
  if (root.deletedAt !== undefined && isEmpty) return refuse('thread_not_found');
  return listing(call, channel, [root, ...answers.filter((message) => shown(call, message))]);
}

function readable(call: Call): Channel {
  const channel = channelOf(call, needText(call.args, 'channel'));
  return channel.members.has(call.workspace.botUser) ? channel : refuse('not_in_channel');
}

function shown({ world, args }: Call, message: Message): boolean {
  expireStream(world, message);
  const { oldest = '0', latest = '9999999999.000000' } = {
    oldest: text(args, 'oldest'),
    latest: text(args, 'latest'),
  };
  const inclusive = flag(args, 'inclusive') ?? false;
  const [at, from, to] = [message.ts, oldest, latest].map(Number) as [number, number, number];
  const within = inclusive ? at >= from && at <= to : at > from && at < to;
  return within && message.deletedAt === undefined && message.onlyFor === undefined;
}

function listing(call: Call, channel: Channel, messages: readonly Message[]): Json {
  const { page, next } = pageOf(call, messages);
  return {
    messages: page.map((message) => withThread(call, channel, message)),
    has_more: next !== '',
    ...(next === '' ? {} : { response_metadata: { next_cursor: next } }),
  };
}

function withThread(call: Call, channel: Channel, message: Message): Json {
  const { metadata, ...rest } = messageJson(call.world, call.workspace, message, call.url);
  // Metadata is included only with `include_all_metadata`.
  const told = flag(call.args, 'include_all_metadata') === true && metadata !== undefined ? { metadata } : {};
  const answers = inThread(channel, message.ts).filter(
    ({ ts, deletedAt, onlyFor }) => ts !== message.ts && deletedAt === undefined && onlyFor === undefined,
  );
  if (message.deletedAt !== undefined)
    return {
      type: 'message',
      subtype: 'tombstone',
      text: 'This message was deleted.',
      user: 'USLACKBOT',
      hidden: true,
      ts: message.ts,
      thread_ts: message.ts,
      reply_count: answers.length,
    };
  if (answers.length === 0) return { ...rest, ...told };
  const users = [...new Set(answers.map(({ user }) => user))];
  return {
    ...rest,
    ...told,
    thread_ts: message.ts,
    reply_count: answers.length,
    reply_users_count: users.length,
    latest_reply: answers.at(-1)?.ts ?? '',
    reply_users: users,
    is_locked: false,
  };
}

export function pageOf<Item>(
  { args }: Call,
  items: readonly Item[],
): { page: readonly Item[]; next: string } {
  const asked = number(args, 'limit') ?? (Number(text(args, 'limit') ?? 0) || PAGE.usual);
  const limit = Math.min(asked, PAGE.most);
  const cursor = text(args, 'cursor') ?? '';
  const from = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64').toString());
  if (!Number.isInteger(from) || from < 0) return refuse('invalid_cursor');
  const next = from + limit < items.length ? Buffer.from(String(from + limit)).toString('base64') : '';
  return { page: items.slice(from, from + limit), next };
}
