/** Actions of people on messages, and the resulting events. */

import { messageJson, seconds } from '../answers.ts';
import { historyScope } from '../methods/post.ts';
import type { Channel, Json, Message, Person, SharedFile, Workspace } from '../shapes.ts';
import { threadKey } from '../shapes.ts';
import { liveStreams } from '../stream/life.ts';
import type { World } from '../world.ts';
import { typed } from './rich-text.ts';

export interface Scene {
  readonly world: World;
  readonly workspace: Workspace;
  readonly url: string;
}

export interface SayOptions {
  /** The first message of the thread. */
  readonly thread?: string;
  readonly files?: readonly SharedFile[];
  /** Replaces the blocks that the composer makes; `[]` sends a text without blocks. */
  readonly blocks?: readonly Json[];
  /** Replaces the text that the composer makes. */
  readonly text?: string;
  readonly subtype?: string;
  readonly broadcast?: boolean;
  /** Stores the message, but sends the app no event. */
  readonly silent?: boolean;
}

export interface Said extends SayOptions {
  /** The typed text, in Markdown-like notation. */
  readonly source: string;
}

export function say(scene: Scene, person: Person, channel: Channel, said: Said): Message {
  const { source, ...options } = said;
  const { world, workspace } = scene;
  const made = typed(source, world.newId('b'));
  const { thread, files = [] } = options;
  const message: Message = {
    ts: world.newTs(),
    channel: channel.id,
    team: workspace.id,
    user: person.id,
    app: false,
    broadcast: options.broadcast ?? false,
    text: options.text ?? made.text,
    blocks: options.blocks ?? (source === '' ? [] : made.blocks),
    attachments: [],
    files: [...files],
    tasks: [],
    postedAt: world.clock.now(),
    history: [],
    unfurls: [],
    reactions: new Map(),
    truncated: false,
    ...(thread === undefined ? {} : { threadTs: thread }),
    ...subtypeOf(options),
  };
  for (const file of files) file.channels.add(channel.id);
  channel.messages.push(message);
  if (options.silent !== true) announce(scene, person, channel, message);
  return message;
}

function subtypeOf({ subtype, files = [], broadcast }: SayOptions): { subtype?: string } {
  if (subtype !== undefined) return { subtype };
  if (broadcast === true) return { subtype: 'thread_broadcast' };
  return files.length > 0 ? { subtype: 'file_share' } : {};
}

/** A mention arrives twice: as `app_mention` and as `message`, with the same `ts` and different event ids. */
export function announce(scene: Scene, person: Person, channel: Channel, message: Message): void {
  const { world, workspace } = scene;
  if (!channel.members.has(workspace.botUser)) return;
  const inner = messageEvent(scene, person, channel, message);
  const out = { team: workspace.id, external: channel.external };
  if (mentionsApp(scene, channel, message))
    world.emit({ ...out, scope: 'app_mentions:read', event: mentionOf(inner) });
  world.emit({ ...out, scope: historyScope(channel), event: inner });
}

const mentionsApp = ({ workspace }: Scene, { kind }: Channel, { text }: Message): boolean =>
  text.includes(`<@${workspace.botUser}>`) && kind !== 'im';

function mentionOf(inner: ReturnType<typeof messageEvent>): Json {
  const { channel_type: _, parent_user_id: __, ...mention } = inner;
  return { ...mention, type: 'app_mention' };
}

export function messageEvent(
  scene: Scene,
  person: Person,
  channel: Channel,
  message: Message,
): Json & { channel_type?: unknown; parent_user_id?: unknown } {
  const { world, workspace, url } = scene;
  const { threadTs } = message;
  const foreign = person.team !== workspace.id;
  return {
    ...messageJson(world, workspace, message, url),
    client_msg_id: `${world.newId('')}-fake`,
    channel: channel.id,
    channel_type: channel.kind,
    event_ts: message.ts,
    ...(threadTs === undefined
      ? {}
      : { parent_user_id: channel.messages.find(({ ts }) => ts === threadTs)?.user ?? '' }),
    ...(foreign ? { user_team: person.team, source_team: person.team } : {}),
    ...(person.bot === true && person.id !== workspace.botUser ? { bot_id: `B${person.id.slice(1)}` } : {}),
    ...(foreign || person.guest !== undefined ? { user_profile: profileOf(person) } : {}),
  };
}

const profileOf = (person: Person): Json => ({
  name: person.name,
  first_name: person.name,
  real_name: person.name,
  display_name: person.name,
  team: person.team,
  is_restricted: person.guest !== undefined,
  is_ultra_restricted: person.guest === 'single-channel',
});

/**
 * Edits a message. Slack also repeats the mention in an edited message, with the time of the edit: seen in
 * https://github.com/inkeep/agents/pull/2284, https://github.com/PostHog/posthog/pull/59517 and
 * https://github.com/slack-go/slack/pull/1256.
 */
export function edit(scene: Scene, person: Person, message: Message, source: string): void {
  const { world, workspace, url } = scene;
  const channel = workspace.channels.get(message.channel);
  if (channel === undefined) return;
  const previous = messageJson(world, workspace, message, url);
  message.history.push({ at: world.clock.now(), text: message.text, blocks: message.blocks });
  const made = typed(source, world.newId('b'));
  message.text = made.text;
  message.blocks = made.blocks;
  message.editedAt = world.clock.now();
  const edited = { user: person.id, ts: seconds(message.editedAt) };
  const out = { team: workspace.id, external: channel.external };
  if (mentionsApp(scene, channel, message)) {
    const event = { ...mentionOf(messageEvent(scene, person, channel, message)), edited };
    world.emit({ ...out, scope: 'app_mentions:read', event });
  }
  world.emit({
    ...out,
    scope: historyScope(channel),
    event: hidden(world, channel, 'message_changed', {
      message: { ...messageJson(world, workspace, message, url), edited },
      previous_message: previous,
    }),
  });
}

/** Deletes a message. As an administrator, a person may also delete the app's own messages, even while they stream. */
export function erase(scene: Scene, message: Message): void {
  const { world, workspace, url } = scene;
  const channel = workspace.channels.get(message.channel);
  if (channel === undefined) return;
  message.deletedAt = world.clock.now();
  world.emit({
    team: workspace.id,
    scope: historyScope(channel),
    external: channel.external,
    event: hidden(world, channel, 'message_deleted', {
      deleted_ts: message.ts,
      previous_message: messageJson(world, workspace, message, url),
    }),
  });
}

const hidden = (world: World, channel: Channel, subtype: string, more: Json): Json => ({
  type: 'message',
  subtype,
  hidden: true,
  channel: channel.id,
  channel_type: channel.kind,
  ts: world.newTs(),
  event_ts: world.newTs(),
  ...more,
});

/** Presses Slack's own Stop: ends the app's streams in the thread, then sends the event. */
export function pressStop(
  scene: Scene,
  person: Person,
  channel: Channel,
  threadTs: string,
): readonly string[] {
  const { world, workspace } = scene;
  const stopped = liveStreams(world, channel, threadTs);
  for (const { stream } of stopped) if (stream !== undefined) stream.state = 'stopped_by_user';
  const ts = stopped.map((message) => message.ts);
  world.emit({
    team: workspace.id,
    scope: 'chat:write',
    event: {
      type: 'agent_session_stopped',
      channel: channel.id,
      user: person.id,
      thread_ts: threadTs,
      streaming_message_ts: ts,
      event_ts: world.newTs(),
    },
  });
  return ts;
}

export interface Renaming {
  readonly channel: Channel;
  readonly threadTs: string;
  readonly title: string;
}

export function renameSession(scene: Scene, person: Person, { channel, threadTs, title }: Renaming): void {
  const { world, workspace } = scene;
  const session = workspace.sessions.get(threadKey(channel.id, threadTs));
  const previous = session?.title;
  if (session !== undefined) session.title = title;
  world.emit({
    team: workspace.id,
    scope: 'chat:write',
    event: {
      type: 'agent_session_title_changed',
      channel: channel.id,
      user: person.id,
      team_id: workspace.id,
      thread_ts: threadTs,
      title,
      ...(previous === undefined ? {} : { previous_title: previous }),
      event_ts: world.newTs(),
    },
  });
}
