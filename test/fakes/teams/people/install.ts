/**
 * Installations and removals of the app, and changes of members.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events
 */

import type { Delivery } from '../deliver/deliver.ts';
import type { Json } from '../read.ts';
import type { Conversation, Person } from '../shapes.ts';
import { newActivityId } from '../world.ts';
import { accountOf, around, type Scene } from './activity.ts';

/** Marks the app as installed or removed. For a channel, this applies to the whole team. */
function setInstalled({ tenant }: Scene, conversation: Conversation, installed: boolean): void {
  const team = tenant.teams.get(conversation.team ?? '');
  if (team !== undefined) team.installed = installed;
  conversation.installed = installed;
}

/** Sends `conversationUpdate`, then `installationUpdate`. */
export function install(scene: Scene, person: Person, conversation: Conversation): readonly Delivery[] {
  conversation.members.add(person.aadObjectId);
  setInstalled(scene, conversation, true);
  const { app } = scene.server.world;
  const added = { type: 'conversationUpdate', membersAdded: [{ id: app.botId }] };
  return [
    scene.deliver(told(scene, person, conversation, added)),
    scene.deliver(told(scene, person, conversation, { type: 'installationUpdate', action: 'add' })),
  ];
}

/** Removes the app. The event of the removal is the last one from this conversation. */
export function removeApp(scene: Scene, person: Person, conversation: Conversation): readonly Delivery[] {
  setInstalled(scene, conversation, false);
  return [scene.deliver(told(scene, person, conversation, { type: 'installationUpdate', action: 'remove' }))];
}

export type Moving = 'membersAdded' | 'membersRemoved';

export function moves(scene: Scene, person: Person, conversation: Conversation, how: Moving): Delivery {
  if (how === 'membersAdded') conversation.members.add(person.aadObjectId);
  else conversation.members.delete(person.aadObjectId);
  const fields = { type: 'conversationUpdate', [how]: [accountOf(person)] };
  return scene.deliver(told(scene, person, conversation, fields));
}

/** Returns an activity with the given fields and those that every activity has; `channelData` is merged. */
export function told(scene: Scene, person: Person, conversation: Conversation, fields: Json): Json {
  const activity = around(scene, { person, conversation });
  const { clock } = scene.server.world;
  return {
    id: `f:${newActivityId(clock, conversation)}`,
    ...activity,
    ...fields,
    channelData: { ...(activity.channelData as Json), ...(fields.channelData as Json | undefined) },
  };
}
