/** Implements chat.postMessage, chat.postEphemeral and chat.getPermalink. */

import { messageJson } from '../answers.ts';
import { child, flag, needText, text } from '../args.ts';
import { type Call, channelOf, findMessage, isGone, threadOf, writableChannel } from '../call.ts';
import { checkBlocks } from '../checks/blocks.ts';
import {
  type Content,
  checkMarkdown,
  checkMetadata,
  checkSomething,
  contentOf,
  cutText,
} from '../checks/text.ts';
import { refuse } from '../refusal.ts';
import type { Channel, Json, Message } from '../shapes.ts';
import { unfurlsOf } from '../visible/live.ts';
import { directMessage } from '../world.ts';

/** Returns the channel of a post. A person's id names the direct message with that person; the post opens it. */
function target(call: Call): Channel {
  const id = needText(call.args, 'channel');
  if (call.workspace.people.has(id)) return directMessage(call.world, call.workspace, id);
  return writableChannel(call, id, true);
}

export function postMessage(call: Call): Json {
  const { args, workspace, world } = call;
  const channel = target(call);
  const content = contentOf(args);
  checkMarkdown(content);
  checkSomething(content);
  checkBlocks(call, content.blocks ?? [], 'message');
  checkMetadata(args.metadata);
  const message = addMessage(call, channel, content);
  clearStatusLine(call, message);
  world.emit(echo(call, channel, message));
  return {
    channel: channel.id,
    ts: message.ts,
    message: messageJson(world, workspace, message, call.url),
  };
}

/**
 * A name or icon other than the app's requires chat:write.customize:
 * https://docs.slack.dev/reference/methods/chat.postMessage#authorship
 */
export function authorOf({ args, token }: Call): Pick<Message, 'author'> {
  const [username, iconEmoji, iconUrl] = ['username', 'icon_emoji', 'icon_url'].map((name) =>
    text(args, name),
  );
  if ([username, iconEmoji, iconUrl].every((each) => each === undefined)) return {};
  if (!token.scopes.has('chat:write.customize')) refuse('missing_scope');
  return {
    author: {
      ...(username !== undefined && { username }),
      ...(iconEmoji !== undefined && { emoji: iconEmoji }),
      ...(iconUrl !== undefined && { url: iconUrl }),
    },
  };
}

/**
 * Adds a message. Without an error, a reply to a deleted message that has no replies stands in the channel instead: seen
 * in https://github.com/langchain-ai/open-swe/pull/2753, https://github.com/PostHog/posthog/pull/83601 and
 * https://github.com/caipe-io/ai-platform-engineering/pull/1034.
 */
export function addMessage(call: Call, channel: Channel, content: Content): Message {
  const { args } = call;
  const asked = threadOf(channel, text(args, 'thread_ts'));
  const threadTs = asked !== undefined && isGone(channel, asked) ? undefined : asked;
  const metadata = child(args, 'metadata');
  const message: Message = {
    ...blankMessage(call, channel),
    ...cutText(content.text ?? ''),
    blocks: content.blocks ?? [],
    attachments: content.attachments ?? [],
    ...authorOf(call),
    broadcast: flag(args, 'reply_broadcast') ?? false,
    ...(content.markdown === undefined ? {} : { markdown: content.markdown }),
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  message.unfurls.push(...unfurlsOf(message, flag(args, 'unfurl_links'), flag(args, 'unfurl_media')));
  channel.messages.push(message);
  return message;
}

export function blankMessage({ world, workspace }: Call, channel: Channel): Message {
  return {
    ts: world.newTs(),
    channel: channel.id,
    team: workspace.id,
    user: workspace.botUser,
    app: true,
    broadcast: false,
    text: '',
    blocks: [],
    attachments: [],
    files: [],
    tasks: [],
    postedAt: world.clock.now(),
    history: [],
    unfurls: [],
    reactions: new Map(),
    truncated: false,
  };
}

/**
 * Clears the status line of a thread, as each post of the app does:
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus. A post does not change the status of an agent
 * session (https://docs.slack.dev/ai/agent-sessions).
 */
export function clearStatusLine({ workspace, world }: Call, message: Message): void {
  const line = workspace.statusLines.get(`${message.channel} ${message.threadTs ?? message.ts}`);
  if (line === undefined || line.status === '') return;
  line.status = '';
  line.changes.push({ at: world.clock.now(), status: '' });
}

/** Sends the app's own post back to it as an event. */
export function echo(call: Call, channel: Channel, message: Message, change?: Json) {
  const inner = messageJson(call.world, call.workspace, message, call.url);
  return {
    team: call.workspace.id,
    scope: historyScope(channel),
    external: channel.external,
    event: { ...inner, ...change, channel: channel.id, channel_type: channel.kind, event_ts: message.ts },
  };
}

export const historyScope = ({ kind }: Channel): string =>
  ({ channel: 'channels:history', group: 'groups:history', im: 'im:history', mpim: 'mpim:history' })[kind];

export function postEphemeral(call: Call): Json {
  const { args, workspace } = call;
  const channel = writableChannel(call, needText(args, 'channel'));
  const user = needText(args, 'user');
  if (!workspace.people.has(user) || !channel.members.has(user)) refuse('user_not_in_channel');
  const content = contentOf(args);
  checkMarkdown(content);
  checkSomething(content);
  checkBlocks(call, content.blocks ?? [], 'message');
  const message = { ...addMessage(call, channel, content), onlyFor: user };
  channel.messages[channel.messages.length - 1] = message;
  return { message_ts: message.ts };
}

export function getPermalink(call: Call): Json {
  const channel = channelOf(call, needText(call.args, 'channel'));
  const message = findMessage(channel, needText(call.args, 'message_ts'));
  if (message === undefined) return refuse('message_not_found');
  const base = `https://${call.workspace.domain}.slack.com/archives/${channel.id}/p${message.ts.replace('.', '')}`;
  const { threadTs } = message;
  const permalink = threadTs === undefined ? base : `${base}?thread_ts=${threadTs}&cid=${channel.id}`;
  return { channel: channel.id, permalink };
}
