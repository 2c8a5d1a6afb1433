/** Calls that send, replace and delete messages of the app. */

import { checkActivity } from '../checks/activity.ts';
import { child, text } from '../read.ts';
import { refuse } from '../refusal.ts';
import type { Conversation, Message, Shown, Stream } from '../shapes.ts';
import { newActivityId } from '../world.ts';
import { type Answer, type Call, conversationOf } from './call.ts';
import { shownOf, thumbsOf } from './shown.ts';
import { checkWhole, splitOf } from './split.ts';

export function send(call: Call): Answer {
  const { asked } = call;
  const conversation = conversationOf(call);
  checkActivity(call, conversation);
  const parts = splitOf(call, shownOf(asked.body));
  const messages = parts.map((shown) => post(call, conversation, shown));
  const [first] = messages;
  if (first !== undefined) call.record.activityId = first.id;
  // As in Teams, the response contains no id if one activity became several messages.
  return messages.length === 1 ? { status: 201, body: { id: first?.id } } : { status: 202, body: {} };
}

export function post(call: Call, conversation: Conversation, shown: Shown): Message {
  const message = newMessage(call, conversation, shown);
  message.thumbs = thumbsOf(shown);
  conversation.messages.push(message);
  call.server.posted(call.tenant, conversation, message);
  return message;
}

/** Accepts a typing indicator. The id in the response names no message. */
export function showTyping(call: Call): Answer {
  const conversation = conversationOf(call);
  checkActivity(call, conversation);
  return { status: 201, body: { id: newActivityId(call.server.world.clock, conversation) } };
}

export function newMessage(call: Call, conversation: Conversation, shown: Shown): Message {
  const { clock } = call.server.world;
  const id = newActivityId(clock, conversation);
  const onlyFor = onlyReader(call, conversation);
  return {
    id,
    conversation: conversation.id,
    tenant: conversation.tenant,
    root: rootOf(call, conversation) ?? id,
    shown,
    ...(onlyFor === undefined ? {} : { onlyFor }),
    postedAt: clock.now(),
    history: [],
    reactions: new Map(),
    views: new Map(),
  };
}

/** Returns the thread in the address: from `;messageid=`, or from the activity that the call replies to. */
function rootOf({ asked }: Call, conversation: Conversation): string | undefined {
  if (conversation.kind !== 'channel') return undefined;
  const { root, id } = asked;
  if (root !== undefined) {
    if (conversation.messages.some((each) => each.id === root)) return root;
    return refuse(404, 'ConversationNotFound', 'Conversation not found.');
  }
  if (id === undefined) return undefined;
  return messageOf(conversation, id).root;
}

/**
 * True if the call is for a targeted message, which only one person sees:
 * https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages
 */
const isTargeted = ({ asked }: Call): boolean => asked.query.get('isTargetedActivity') === 'true';

function onlyReader(call: Call, { kind, members }: Conversation): string | undefined {
  if (!isTargeted(call)) return undefined;
  if (kind === 'personal') refuse(400, 'BadArgument', 'Targeted activities are for groups and channels');
  const id = text(child(call.asked.body, 'recipient'), 'id');
  const reader = [...call.tenant.people.values()].find((each) => each.id === id);
  if (reader === undefined || !members.has(reader.aadObjectId))
    return refuse(400, 'BadArgument', 'A targeted activity needs a recipient who is in the conversation');
  return reader.aadObjectId;
}

export function messageOf(conversation: Conversation, id: string): Message {
  const message = conversation.messages.find((each) => each.id === id);
  if (message === undefined || message.deletedAt !== undefined)
    return refuse(404, 'ActivityNotFoundInConversation', 'The activity was not found in the conversation.');
  return message;
}

/** Maximum length of a stream, in milliseconds. */
const STREAM_LIFE = 120_000;

/**
 * Ends a stream after two minutes. The text so far stays visible, and from then on ordinary calls can change the
 * message: Microsoft's own SDKs then edit it (`TeamsStreamingWriter.TimedOut`; microsoft/Agents-for-net pull request
 * 950). No source says whether Teams also deletes it.
 */
export function expire(stream: Stream, now: number): void {
  if (stream.state === 'live' && now - stream.startedAt > STREAM_LIFE) stream.state = 'expired';
}

function ownMessage(call: Call, conversation: Conversation): Message {
  const message = messageOf(conversation, call.asked.id ?? '');
  if ((message.onlyFor !== undefined) !== isTargeted(call)) messageOf(conversation, '');
  if (message.person !== undefined)
    refuse(403, 'ForbiddenOperationException', 'The bot may change its own activities only.');
  if (message.stream !== undefined) expire(message.stream, call.record.at);
  if (message.stream?.state === 'live')
    refuse(400, 'BadRequest', 'The activity is still streaming: only its stream can change it');
  call.record.activityId = message.id;
  return message;
}

/** Microsoft 365 Copilot, "Known issues": "Messages in Microsoft 365 Copilot are immutable, and the `updateActivity` API isn't supported". */
function checkMutable({ copilot }: Conversation): void {
  if (copilot) refuse(405, 'MethodNotAllowed', 'Messages in Microsoft 365 Copilot are immutable.');
}

export function update(call: Call): Answer {
  const conversation = conversationOf(call);
  checkMutable(conversation);
  const message = ownMessage(call, conversation);
  if (message.onlyFor !== undefined && call.asked.body.recipient !== undefined)
    refuse(400, 'BadArgument', 'The recipient of a targeted activity cannot be changed');
  // A message whose stream a person stopped stays as it is: "Bots can't change the content already streamed" (streaming
  // page, "Stop streaming bot response").
  if (message.stream?.state === 'stopped_by_user')
    refuse(403, 'ContentStreamNotAllowed', 'Content stream was canceled by user.');
  checkActivity(call, conversation);
  checkWhole(call);
  change(message, shownOf(call.asked.body), call.server.world.clock.now());
  return { status: 200, body: { id: message.id } };
}

export function change(message: Message, shown: Shown, now: number): void {
  message.history.push({ at: now, shown: message.shown });
  message.shown = shown;
  message.views.clear();
  message.editedAt = now;
}

export function remove(call: Call): Answer {
  const conversation = conversationOf(call);
  checkMutable(conversation);
  const message = ownMessage(call, conversation);
  message.deletedAt = call.server.world.clock.now();
  message.deletedBy = 'app';
  return { status: 200 };
}
