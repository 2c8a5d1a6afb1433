/**
 * People's changes to messages: they edit, delete and restore their own, and react to the app's.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages ("Update message",
 * "Soft delete message") and …/subscribe-to-conversation-events ("Message reaction events")
 */

import type { Delivery } from '../deliver/deliver.ts';
import type { Json } from '../read.ts';
import type { Conversation, Message, Person } from '../shapes.ts';
import { isInstalled, newActivityId } from '../world.ts';
import { around, type Scene } from './activity.ts';
import { hears, messageActivity, type SayOptions, written } from './say.ts';

/** A change of one message: the conversation, the message, and the person who changes it. */
export interface Act {
  readonly scene: Scene;
  readonly person: Person;
  readonly conversation: Conversation;
  readonly message: Message;
}

/** Edits a message. Returns undefined if the app receives neither the original nor the edited message. */
export function edit(act: Act, text: string, options: SayOptions): Delivery | undefined {
  const { scene, conversation, message } = act;
  const heard = hears(scene, conversation, message.shown);
  const now = scene.server.world.clock.now();
  message.history.push({ at: now, shown: message.shown });
  message.shown = written(scene, conversation, { ...options, text });
  message.editedAt = now;
  return heard || hears(scene, conversation, message.shown) ? tell(act, 'editMessage') : undefined;
}

export function restore(act: Act): Delivery | undefined {
  const { scene, conversation, message } = act;
  delete message.deletedAt;
  return hears(scene, conversation, message.shown) ? tell(act, 'undeleteMessage') : undefined;
}

function tell({ scene, person, conversation, message }: Act, eventType: string): Delivery {
  const activity = messageActivity(scene, person, conversation, message);
  return scene.deliver({
    ...activity,
    type: 'messageUpdate',
    channelData: { ...(activity.channelData as Json), eventType },
  });
}

/** Deletes a message. Deleting one of the app's own messages, as an owner may, sends no event. */
export function erase({ scene, person, conversation, message }: Act): Delivery | undefined {
  message.deletedAt = scene.server.world.clock.now();
  message.deletedBy = 'person';
  if (message.person === undefined || !hears(scene, conversation, message.shown)) return undefined;
  const activity = around(scene, { person, conversation, message });
  return scene.deliver({
    type: 'messageDelete',
    id: message.id,
    ...activity,
    channelData: { ...(activity.channelData as Json), eventType: 'softDeleteMessage' },
  });
}

export interface Reacting {
  readonly reaction: string;
  readonly how: 'reactionsAdded' | 'reactionsRemoved';
}

export function react(
  { scene, person, conversation, message }: Act,
  { reaction, how }: Reacting,
): Delivery | undefined {
  const { clock } = scene.server.world;
  const people = message.reactions.get(reaction) ?? new Set();
  message.reactions.set(reaction, people);
  if (how === 'reactionsAdded') people.add(person.aadObjectId);
  else people.delete(person.aadObjectId);
  if (message.person !== undefined || !isInstalled(scene.server.world, scene.tenant, conversation))
    return undefined;
  return scene.deliver({
    type: 'messageReaction',
    id: `f:${newActivityId(clock, conversation)}`,
    ...around(scene, { person, conversation, message }),
    replyToId: message.id,
    [how]: [{ type: reaction }],
  });
}

/**
 * Presses Teams' own Stop in a personal chat. Teams then refuses the app's next call for the stream. Returns the
 * stopped messages.
 */
export function stopStream({ messages }: Conversation): readonly Message[] {
  const live = messages.filter(({ stream }) => stream?.state === 'live');
  for (const { stream } of live) if (stream !== undefined) stream.state = 'stopped_by_user';
  return live;
}
