/**
 * Checks mentions in an app's message: the message must contain the text of the mention's entity, and the mentioned
 * person must be a member of the conversation.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/channel-and-group-conversations ("Add
 * mentions to your messages")
 */

import { child, type Json, list, text } from '../read.ts';
import { badRequest } from '../refusal.ts';
import type { Conversation, Tenant } from '../shapes.ts';

export function checkMentions(activity: Json, tenant: Tenant, conversation: Conversation): readonly string[] {
  const written = text(activity, 'text') ?? '';
  const mentions = list(activity, 'entities').filter(({ type }) => type === 'mention');
  const people = [...tenant.people.values()].filter(({ aadObjectId }) =>
    conversation.members.has(aadObjectId),
  );
  for (const mention of mentions) {
    const words = text(mention, 'text') ?? '';
    const mentioned = child(mention, 'mentioned');
    const id = text(mentioned, 'id');
    if (!/^<at>.+<\/at>$/s.test(words) || text(mentioned, 'name') === undefined)
      badRequest('A mention entity needs `mentioned` with a name and `text` as <at>name</at>');
    if (!written.includes(words))
      badRequest(`The text of the mention ${words} is not in the text of the message`);
    if (!people.some((each) => each.id === id || each.aadObjectId === id))
      badRequest(`Nobody in the conversation has the id ${String(id)}`);
  }
  const known = mentions.map((mention) => text(mention, 'text'));
  return [...written.matchAll(/<at\b[^>]*>.*?<\/at>/gs)]
    .map(([whole]) => whole)
    .filter((whole) => !known.includes(whole))
    .map((whole) => `${whole} is a mention without an entity`);
}
