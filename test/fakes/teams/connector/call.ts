/** An accepted call and its context. */

import type { CallRecord } from '../log.ts';
import type { Server } from '../parts.ts';
import type { Json } from '../read.ts';
import { refuse } from '../refusal.ts';
import type { Conversation, Tenant } from '../shapes.ts';
import { isInstalled } from '../world.ts';
import type { Asked } from './asked.ts';

export interface Call {
  readonly server: Server;
  readonly asked: Asked;
  readonly tenant: Tenant;
  readonly record: CallRecord;
}

export interface Answer {
  readonly status: number;
  readonly body?: Json;
  readonly bytes?: Uint8Array;
  /** Target address of a redirect. */
  readonly location?: string;
  readonly contentType?: string;
}

/**
 * Returns the call's conversation, or refuses with the codes of "Status codes from bot conversational APIs" in Teams'
 * documentation.
 */
export function conversationOf({ asked, tenant, server }: Call): Conversation {
  const conversation = tenant.conversations.get(asked.conversation ?? '');
  if (conversation === undefined) return refuse(404, 'ConversationNotFound', 'Conversation not found.');
  if (!tenant.enabled) refuse(403, 'BotDisabledByAdmin', 'The tenant admin disabled this bot.');
  if (!isInstalled(server.world, tenant, conversation))
    refuse(403, 'BotNotInConversationRoster', 'The bot is not part of the conversation roster.');
  if (conversation.blocked)
    refuse(403, 'ConversationBlockedByUser', 'User blocked the conversation with the bot.');
  return conversation;
}
