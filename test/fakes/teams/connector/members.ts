/**
 * Calls for members of a conversation, and for its team:
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context
 */

import type { Json } from '../read.ts';
import { refuse } from '../refusal.ts';
import type { Person, Team } from '../shapes.ts';
import { type Answer, type Call, conversationOf } from './call.ts';

/** Minimum and maximum of `pageSize`, the number of people per page (documentation page named above). */
const SMALLEST_PAGE = 50;
const LARGEST_PAGE = 500;

export function member(call: Call): Answer {
  const { asked } = call;
  const { memberKey } = call.tenant;
  const found = inside(call).find((person) => person[memberKey] === asked.id);
  if (found === undefined)
    return refuse(404, 'MemberNotFoundInConversation', 'The member was not found in the conversation.');
  return { status: 200, body: memberJson(found) };
}

export function members(call: Call): Answer {
  const { query } = call.asked;
  const size = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, Number(query.get('pageSize') ?? LARGEST_PAGE)));
  const from = Number(query.get('continuationToken') ?? 0);
  const all = inside(call);
  const page = all.slice(from, from + size).map(memberJson);
  const next = from + size < all.length ? { continuationToken: String(from + size) } : {};
  return { status: 200, body: { members: page, ...next } };
}

function inside(call: Call): readonly Person[] {
  const conversation = conversationOf(call);
  return [...call.tenant.people.values()].filter(({ aadObjectId }) => conversation.members.has(aadObjectId));
}

function memberJson({ id, aadObjectId, name, email, home, role }: Person): Json {
  const [givenName = '', ...rest] = name.split(' ');
  return {
    id,
    objectId: aadObjectId,
    name,
    givenName,
    surname: rest.join(' '),
    email,
    userPrincipalName: email,
    tenantId: home,
    userRole: role,
  };
}

function teamOf({ asked, tenant }: Call): Team {
  const team = tenant.teams.get(asked.id ?? '');
  if (team === undefined) return refuse(404, 'ConversationNotFound', 'Conversation not found.');
  if (!team.installed)
    refuse(403, 'BotNotInConversationRoster', 'The bot is not part of the conversation roster.');
  return team;
}

export function team(call: Call): Answer {
  const { id, name, aadGroupId } = teamOf(call);
  return { status: 200, body: { id, name, aadGroupId } };
}

/** Lists a team's channels. As in Teams, the General channel has no name. */
export function channels(call: Call): Answer {
  const { id: general, channels: ids } = teamOf(call);
  const conversations = ids.map((id) =>
    id === general ? { id } : { id, name: call.tenant.conversations.get(id)?.name ?? '' },
  );
  return { status: 200, body: { conversations } };
}
