/**
 * Adding the app and taking it out again, people who come and go.
 * https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events
 */

import type { Delivery } from '../deliver/deliver.ts';
import type { Json } from '../read.ts';
import type { Conversation, Person } from '../shapes.ts';
import { newActivityId } from '../world.ts';
import { accountOf, around, type Scene } from './activity.ts';

/** In a channel it is the whole team that gets the app, or loses it. */
function setInstalled({ tenant }: Scene, conversation: Conversation, installed: boolean): void {
  const team = tenant.teams.get(conversation.team ?? '');
  if (team !== undefined) team.installed = installed;
  conversation.installed = installed;
}

/** First `conversationUpdate`, then `installationUpdate`. */
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

/** The last that the app hears from there. */
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

/** Any activity, with what every activity carries around it; `channelData` is added to. */
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
