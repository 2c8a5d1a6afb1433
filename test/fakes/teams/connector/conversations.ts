/**
 * Conversations that the app opens: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages
 * People without the app get no messages.
 */

import { checkActivity } from '../checks/activity.ts';
import { child, type Json, list, text } from '../read.ts';
import { badRequest, refuse } from '../refusal.ts';
import { addressOf } from '../world.ts';
import { post } from './activities.ts';
import { type Answer, type Call, conversationOf } from './call.ts';
import { shownOf } from './shown.ts';
import { checkWhole } from './split.ts';

export function create(call: Call): Answer {
  const { body } = call.asked;
  checkTenant(call, body);
  const channel = text(child(child(body, 'channelData'), 'channel'), 'id');
  return channel === undefined ? openChat(call, body) : openThread(call, channel, body);
}

function checkTenant({ tenant }: Call, body: Json): void {
  const named = [text(body, 'tenantId'), text(child(child(body, 'channelData'), 'tenant'), 'id')];
  const given = named.filter((id) => id !== undefined);
  if (given.length === 0) badRequest('The tenant id is missing');
  if (given.some((id) => id !== tenant.id))
    refuse(403, 'Forbidden', 'The bot is not allowed in this tenant.');
}

function openChat({ tenant, server }: Call, body: Json): Answer {
  const members = list(body, 'members');
  const [member] = members;
  if (member === undefined || members.length !== 1 || body.isGroup === true)
    return refuse(400, 'BadSyntax', 'Incorrect conversation creation parameters');
  const bot = text(child(body, 'bot'), 'id');
  if (bot !== undefined && bot !== server.world.app.botId)
    refuse(403, 'Forbidden', 'The bot is another one.');
  const id = text(member, 'id');
  const person = [...tenant.people.values()].find((each) => each.id === id || each.aadObjectId === id);
  if (person === undefined) return refuse(400, 'BadSyntax', 'The member was not found');
  const chat = [...tenant.conversations.values()].find(({ partner }) => partner === person.aadObjectId);
  if (chat === undefined || !chat.installed || !tenant.enabled)
    return refuse(403, 'ForbiddenOperationException', "Bot is not installed in user's personal scope");
  return { status: 201, body: { id: chat.id } };
}

function openThread(call: Call, channel: string, body: Json): Answer {
  const activity = child(body, 'activity');
  if (activity === undefined) return refuse(400, 'BadSyntax', 'Incorrect conversation creation parameters');
  const within: Call = { ...call, asked: { ...call.asked, conversation: channel, body: activity } };
  const conversation = conversationOf(within);
  checkActivity(within, conversation);
  checkWhole(within);
  const message = post(within, conversation, shownOf(activity));
  call.record.activityId = message.id;
  return { status: 201, body: { id: addressOf(conversation, message), activityId: message.id } };
}
