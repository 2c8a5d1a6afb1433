/** Implements chat.startStream, chat.appendStream and chat.stopStream. */

import { messageJson } from '../answers.ts';
import { child, list, needText, text } from '../args.ts';
import { type Call, channelOf, isGone, messageOf, threadOf, writableChannel } from '../call.ts';
import { checkBlocks } from '../checks/blocks.ts';
import { checkMetadata } from '../checks/text.ts';
import { refuse, refuseWith } from '../refusal.ts';
import type { Channel, Json, Message, Stream } from '../shapes.ts';
import { add, additionOf } from '../stream/content.ts';
import { liveStream } from '../stream/life.ts';
import { changed, keepHistory } from './change.ts';
import { authorOf, blankMessage, clearStatusLine, echo } from './post.ts';
import { isSessionStatus, setSession } from './sessions.ts';

export function startStream(call: Call): Json {
  const { args, world } = call;
  const channel = writableChannel(call, needText(args, 'channel'));
  const threadTs = threadOf(channel, text(args, 'thread_ts'));
  // The method's page and Slack's types require `thread_ts` everywhere; newer documentation requires it in channels
  // only.
  if (threadTs === undefined) refuseWith('invalid_arguments', ['[ERROR] missing required field: thread_ts']);
  // Seen in https://github.com/caipe-io/ai-platform-engineering/pull/1034.
  if (isGone(channel, threadTs)) refuse('invalid_thread_ts');
  const recipient = recipientOf(call, channel);
  const addition = additionOf(call);
  const stream: Stream = {
    state: 'live',
    startedAt: world.clock.now(),
    touchedAt: world.clock.now(),
    bytes: 0,
    display: displayOf(args),
    ...(recipient === undefined ? {} : { recipient }),
  };
  const message: Message = {
    ...blankMessage(call, channel),
    ...authorOf(call),
    threadTs,
    stream,
    markdown: '',
  };
  add(call, message, stream, addition);
  channel.messages.push(message);
  clearStatusLine(call, message);
  world.emit(echo(call, channel, message));
  return { channel: channel.id, ts: message.ts };
}

function displayOf(args: Json): Stream['display'] {
  const display = text(args, 'task_display_mode') ?? 'timeline';
  return display === 'timeline' || display === 'plan' || display === 'dense'
    ? display
    : refuseWith('invalid_arguments', ['[ERROR] invalid value [json-pointer:/task_display_mode]']);
}

/**
 * A stream in a channel must name a member of the channel by user id and team id ("Required when streaming to
 * channels").
 */
function recipientOf({ args, workspace }: Call, channel: Channel): Stream['recipient'] {
  const user = text(args, 'recipient_user_id');
  const team = text(args, 'recipient_team_id');
  if (channel.partner !== undefined && user === undefined) return undefined;
  if (user === undefined) return refuse('missing_recipient_user_id');
  if (team === undefined) return refuse('missing_recipient_team_id');
  // https://github.com/paradigmxyz/centaur/issues/1601
  if (!/^[UW][A-Z0-9]{2,}$/.test(user))
    return refuseWith('invalid_arguments', [
      '[ERROR] input must match regex pattern: ^[UW][A-Z0-9]{2,}$ [json-pointer:/recipient_user_id]',
    ]);
  const person = workspace.people.get(user);
  if (person === undefined) return refuse('user_not_found');
  return person.team === team ? { user, team } : refuse('team_not_found');
}

export function appendStream(call: Call): Json {
  const { args, world } = call;
  const channel = streamingChannel(call);
  const message = messageOf(channel, needText(args, 'ts'));
  const stream = liveStream(world, message, false);
  const addition = additionOf(call);
  const { markdown, chunks } = addition;
  if ((markdown === undefined || markdown === '') && (chunks === undefined || chunks.length === 0))
    refuse('no_text');
  add(call, message, stream, addition);
  return { channel: channel.id, ts: message.ts };
}

function streamingChannel(call: Call): Channel {
  const channel = channelOf(call, needText(call.args, 'channel'));
  if (channel.archived) refuse('is_archived');
  if (!channel.members.has(call.workspace.botUser)) refuse('not_in_channel');
  return channel;
}

/**
 * Slack shows a task that still runs when its stream ends as failed: "Something went wrong"
 * (https://github.com/paradigmxyz/centaur/pull/467).
 */
const endedTask = (task: Json): Json =>
  task.status === 'complete' || task.status === 'error' ? task : { ...task, status: 'error' };

export function stopStream(call: Call): Json {
  const { args, world, workspace } = call;
  const channel = streamingChannel(call);
  const message = messageOf(channel, needText(args, 'ts'));
  const stream = liveStream(world, message, true);
  const addition = additionOf(call);
  const blocks = list(args, 'blocks') ?? [];
  checkBlocks(call, blocks, 'stream');
  checkMetadata(args.metadata);
  const status = text(args, 'session_status');
  if (status !== undefined && !isSessionStatus(status)) refuse('invalid_arguments');
  keepHistory(message, world.clock.now());
  add(call, message, stream, addition);
  message.blocks = [...message.blocks, ...blocks];
  const metadata = child(args, 'metadata');
  if (metadata !== undefined) message.metadata = metadata;
  stream.state = 'stopped';
  message.tasks = message.tasks.map(endedTask);
  if (status !== undefined && message.threadTs !== undefined)
    setSession(call, { channel: channel.id, threadTs: message.threadTs }, status);
  world.emit(changed(call, channel, message));
  return {
    channel: channel.id,
    ts: message.ts,
    message: messageJson(world, workspace, message, call.url),
  };
}
