/**
 * Activities as Teams sends them to a bot. Examples: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/channel-and-group-conversations
 * and https://learn.microsoft.com/microsoftteams/platform/bots/build-conversational-capability
 */

import type { Delivery } from '../deliver/deliver.ts';
import { type Server, serviceUrlOf } from '../parts.ts';
import type { Json } from '../read.ts';
import type { Conversation, Message, Person, Tenant } from '../shapes.ts';
import { addressOf } from '../world.ts';

export interface Scene {
  readonly server: Server;
  readonly tenant: Tenant;
  deliver(activity: Json): Delivery;
}

export interface Happening {
  readonly person: Person;
  readonly conversation: Conversation;
  /** The message that the activity refers to, or the thread's first message. */
  readonly message?: Pick<Message, 'id' | 'root'>;
}

/** Returns the fields that every activity of a person has. */
export function around({ server, tenant }: Scene, { person, conversation, message }: Happening): Json {
  const { world } = server;
  const at = new Date(world.clock.now()).toISOString();
  return {
    timestamp: at,
    localTimestamp: at,
    localTimezone: 'Europe/Berlin',
    channelId: 'msteams',
    serviceUrl: serviceUrlOf(server, tenant.id),
    from: accountOf(person),
    recipient: { id: world.app.botId, name: world.app.name },
    conversation: {
      conversationType: conversation.kind,
      tenantId: tenant.id,
      id: message === undefined ? conversation.id : addressOf(conversation, message),
      ...(conversation.kind === 'personal' ? {} : { isGroup: true }),
      ...(conversation.kind === 'groupChat' && conversation.name !== '' ? { name: conversation.name } : {}),
    },
    channelData: channelDataOf(tenant, conversation),
    locale: person.locale,
  };
}

export const accountOf = ({ id, name, aadObjectId, bot }: Person): Json => ({
  id,
  name,
  ...(bot ? {} : { aadObjectId }),
});

export function channelDataOf(tenant: Tenant, conversation: Conversation): Json {
  const team = tenant.teams.get(conversation.team ?? '');
  return {
    tenant: { id: tenant.id },
    ...(conversation.copilot && { productContext: 'COPILOT' }),
    ...(team === undefined
      ? {}
      : {
          teamsChannelId: conversation.id,
          teamsTeamId: team.id,
          channel: {
            id: conversation.id,
            ...(conversation.type === undefined ? {} : { name: conversation.name, type: conversation.type }),
          },
          team: { id: team.id, aadGroupId: team.aadGroupId, name: team.name },
        }),
  };
}

export const clientInfo = ({ locale }: Person): Json => ({
  type: 'clientInfo',
  locale,
  country: locale.slice(-2),
  platform: 'Windows',
  timezone: 'Europe/Berlin',
});
