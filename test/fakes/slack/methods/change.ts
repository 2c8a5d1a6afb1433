/** Implements chat.update and chat.delete. */

import { messageJson } from '../answers.ts';
import { child, needText } from '../args.ts';
import { type Call, channelOf, messageOf } from '../call.ts';
import { checkBlocks } from '../checks/blocks.ts';
import {
  type Content,
  checkMarkdown,
  checkMetadata,
  checkSomething,
  contentOf,
  UPDATE_TEXT_BYTES,
} from '../checks/text.ts';
import { refuse } from '../refusal.ts';
import type { Channel, Json, Message } from '../shapes.ts';
import { expireStream } from '../stream/life.ts';
import { blocksOf } from '../visible/blocks-of.ts';
import { historyScope } from './post.ts';

const MINUTE = 60_000;

export function update(call: Call): Json {
  const { args, workspace, world } = call;
  const channel = channelOf(call, needText(args, 'channel'));
  if (channel.archived) refuse('is_inactive');
  const message = messageOf(channel, needText(args, 'ts'));
  const content = contentOf(args);
  checkMay(call, message);
  checkContent(call, message, content);
  keepHistory(message, world.clock.now());
  apply(message, content, call);
  world.emit(changed(call, channel, message));
  return {
    channel: channel.id,
    ts: message.ts,
    text: message.text,
    message: messageJson(world, workspace, message, call.url),
  };
}

function checkMay({ workspace, world }: Call, message: Message): void {
  expireStream(world, message);
  if (!message.app || message.user !== workspace.botUser) refuse('cant_update_message');
  if (message.stream?.state === 'live') refuse('streaming_state_conflict');
  const window = workspace.editWindowMinutes;
  if (window !== undefined && world.clock.now() > message.postedAt + window * MINUTE)
    refuse('edit_window_closed');
}

function checkContent(call: Call, message: Message, content: Content): void {
  checkMarkdown(content);
  checkSomething(content);
  if (new TextEncoder().encode(content.text ?? '').length > UPDATE_TEXT_BYTES) refuse('msg_too_long');
  checkBlocks(call, content.blocks ?? [], 'message');
  checkMetadata(call.args.metadata);
  if (loosesRichText(message, content.blocks ?? [])) refuse('block_mismatch');
}

/**
 * True if an edit would replace rich text by other blocks: "Rich-text blocks cannot be replaced with non-rich-text
 * blocks" (chat.update, `block_mismatch`). Slack stores streamed text and `markdown` blocks as rich text.
 */
function loosesRichText(message: Message, blocks: readonly Json[]): boolean {
  const streamed = message.stream !== undefined && message.markdown !== undefined && message.markdown !== '';
  const rich = blocks.some(({ type }) => type === 'rich_text' || type === 'markdown');
  return streamed && blocks.length > 0 && !rich;
}

export function keepHistory(message: Message, at: number): void {
  message.history.push({ at, text: message.text, blocks: blocksOf(message) });
}

/**
 * Applies an edit. "If you don't include `blocks`, the message's previous `blocks` will only be retained if the `text`
 * argument is not provided"; `markdown_text` removes them as `text` does. Any edit removes the tasks and the title of a
 * stream. "If `blocks` are used …, the `edited` flag will not be displayed". "To remove previous `metadata`, include an
 * empty object."
 */
function apply(message: Message, content: Content, { args, world }: Call): void {
  const replaced = content.text !== undefined || content.markdown !== undefined;
  message.text = content.text ?? (content.markdown === undefined ? message.text : '');
  if (content.blocks !== undefined) message.blocks = content.blocks;
  else if (replaced) message.blocks = [];
  if (content.attachments !== undefined) message.attachments = content.attachments;
  if (content.markdown !== undefined) message.markdown = content.markdown;
  else delete message.markdown;
  message.tasks = [];
  delete message.planTitle;
  const metadata = child(args, 'metadata');
  if (metadata !== undefined && Object.keys(metadata).length === 0) delete message.metadata;
  else if (metadata !== undefined) message.metadata = metadata;
  if (content.blocks === undefined) message.editedAt = world.clock.now();
}

export function changed(call: Call, channel: Channel, message: Message) {
  const { world, workspace, url } = call;
  return {
    team: workspace.id,
    scope: historyScope(channel),
    external: channel.external,
    event: {
      type: 'message',
      subtype: 'message_changed',
      hidden: true,
      channel: channel.id,
      channel_type: channel.kind,
      ts: world.newTs(),
      event_ts: world.newTs(),
      message: messageJson(world, workspace, message, url),
      previous_message: {
        type: 'message',
        user: message.user,
        ts: message.ts,
        text: message.history.at(-1)?.text ?? '',
      },
    },
  };
}

export function remove(call: Call): Json {
  const { args, workspace, world } = call;
  const channel = channelOf(call, needText(args, 'channel'));
  const message = messageOf(channel, needText(args, 'ts'));
  expireStream(world, message);
  if (message.user !== workspace.botUser || !message.app) refuse('cant_delete_message');
  // Reported from the live service: an app cannot delete its message while the message streams.
  if (message.stream?.state === 'live') refuse('cant_delete_message');
  message.deletedAt = world.clock.now();
  world.emit(deleted(call, channel, message));
  return { channel: channel.id, ts: message.ts };
}

export function deleted(call: Call, channel: Channel, message: Message) {
  const { world, workspace, url } = call;
  return {
    team: workspace.id,
    scope: historyScope(channel),
    external: channel.external,
    event: {
      type: 'message',
      subtype: 'message_deleted',
      hidden: true,
      channel: channel.id,
      channel_type: channel.kind,
      ts: world.newTs(),
      deleted_ts: message.ts,
      event_ts: world.newTs(),
      previous_message: messageJson(world, workspace, message, url),
    },
  };
}
