/**
 * Installations and removals of the app, and changes of members.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events
 */

import type { Delivery } from '../deliver/deliver.ts';
import type { Json } from '../read.ts';
import type { Conversation, Person } from '../shapes.ts';
import { isInstalled, newActivityId } from '../world.ts';
import { accountOf, around, type Scene } from './activity.ts';

/** True for a private or shared channel, to which the app is added separately after it was added to the team. */
const isSeparate = ({ type = 'standard' }: Conversation): boolean => type !== 'standard';

/** Marks the app as installed or removed. For a standard channel, this applies to the whole team. */
function setInstalled({ tenant }: Scene, conversation: Conversation, installed: boolean): void {
  conversation.installed = installed;
  if (isSeparate(conversation)) return;
  const team = tenant.teams.get(conversation.team ?? '');
  if (team !== undefined) team.installed = installed;
}

/**
 * Sends `conversationUpdate`, then `installationUpdate`. For a private or shared channel, there is only a
 * `conversationUpdate` with the event type `channelMemberAdded` (page "build-apps-for-shared-private-channels").
 */
export function install(scene: Scene, person: Person, conversation: Conversation): readonly Delivery[] {
  const { app } = scene.server.world;
  conversation.members.add(person.aadObjectId);
  setInstalled(scene, conversation, true);
  if (!isInstalled(scene.server.world, scene.tenant, conversation))
    throw new Error(
      'Teams does not offer the app here: the manifest does not ask for this kind of conversation.',
    );
  const added = { type: 'conversationUpdate', membersAdded: [{ id: app.botId }] };
  if (isSeparate(conversation)) {
    const channelData = { eventType: 'channelMemberAdded' };
    return [scene.deliver(told(scene, person, conversation, { ...added, channelData }))];
  }
  return [
    scene.deliver(told(scene, person, conversation, added)),
    scene.deliver(told(scene, person, conversation, { type: 'installationUpdate', action: 'add' })),
  ];
}

/** Removes the app. The event of the removal is the last one from this conversation. */
export function removeApp(scene: Scene, person: Person, conversation: Conversation): readonly Delivery[] {
  setInstalled(scene, conversation, false);
  if (isSeparate(conversation)) {
    const membersRemoved = [{ id: scene.server.world.app.botId }];
    const channelData = { eventType: 'channelMemberRemoved' };
    const fields = { type: 'conversationUpdate', membersRemoved, channelData };
    return [scene.deliver(told(scene, person, conversation, fields))];
  }
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
