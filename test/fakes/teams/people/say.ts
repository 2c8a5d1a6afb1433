/** What people write, change and take away, and the activities that follow. */

import type { Json } from '../read.ts';
import { type Conversation, type Message, nothing, type Person } from '../shapes.ts';
import { isInstalled, newActivityId } from '../world.ts';
import { around, clientInfo, type Delivered, type Scene } from './activity.ts';

export interface SayOptions {
  /** The thread's first message, in a channel. */
  readonly thread?: string;
  /** People or the app whose names stand in the text as `<at>Name</at>`; found by themselves where they are in the tenant. */
  readonly attachments?: readonly Json[];
  /** The twin in place of the one that is made of the text; `''` leaves it out. */
  readonly html?: string;
  /** Keeps the message without telling the app. */
  readonly silent?: boolean;
}

export interface Said extends SayOptions {
  readonly text: string;
}

export interface Heard {
  readonly message: Message;
  /** Absent where the app is not told of the message. */
  readonly delivery?: Delivered;
}

export function say(scene: Scene, person: Person, conversation: Conversation, said: Said): Heard {
  const { clock } = scene.server.world;
  const id = newActivityId(clock, conversation);
  const message: Message = {
    id,
    conversation: conversation.id,
    tenant: conversation.tenant,
    root: conversation.kind === 'channel' ? (said.thread ?? id) : id,
    person: person.aadObjectId,
    shown: {
      ...nothing,
      text: said.text,
      textFormat: 'plain',
      attachments: [...(said.attachments ?? []), ...twin(said)],
      entities: mentionsIn(scene, said.text),
    },
    postedAt: clock.now(),
    history: [],
    reactions: new Map(),
  };
  conversation.members.add(person.aadObjectId);
  conversation.messages.push(message);
  if (said.silent === true || !hears(scene, conversation, message)) return { message };
  return { message, delivery: scene.deliver(messageActivity(scene, person, conversation, message)) };
}

/** A message comes a second time as HTML. */
function twin({ html, text }: Said): readonly Json[] {
  const content = html ?? `<div><div>${text.replaceAll(/\n/g, '<br>')}</div></div>`;
  return content === '' ? [] : [{ contentType: 'text/html', content }];
}

/** In personal chats always; elsewhere when the app is mentioned, or its owners consented to all messages. */
function hears({ server, tenant }: Scene, conversation: Conversation, { shown }: Message): boolean {
  if (!isInstalled(tenant, conversation)) return false;
  if (conversation.kind === 'personal') return true;
  const consent = conversation.kind === 'channel' ? 'ChannelMessage.Read.Group' : 'ChatMessage.Read.Chat';
  const mentioned = shown.entities.some((each) => (each.mentioned as Json).id === server.world.app.botId);
  return mentioned || conversation.consents.has(consent);
}

export function mentionsIn({ server, tenant }: Scene, text: string): readonly Json[] {
  const { app } = server.world;
  const known = [
    { id: app.botId, name: app.name },
    ...[...tenant.people.values()].map(({ id, name }) => ({ id, name })),
  ];
  return [...text.matchAll(/<at>(.*?)<\/at>/g)].flatMap(([whole, name]) => {
    const mentioned = known.find((each) => each.name === name);
    return mentioned === undefined ? [] : [{ type: 'mention', mentioned, text: whole }];
  });
}

export function messageActivity(
  scene: Scene,
  person: Person,
  conversation: Conversation,
  message: Message,
): Json {
  const { shown } = message;
  return {
    type: 'message',
    id: message.id,
    ...around(scene, { person, conversation, message }),
    text: shown.text,
    textFormat: 'plain',
    attachments: shown.attachments,
    entities: [...shown.entities, clientInfo(person)],
  };
}
