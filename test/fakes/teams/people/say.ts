/** People's messages, and their activities for the app. */

import type { Delivery } from '../deliver/deliver.ts';
import { addFile, type FileOptions } from '../files/files.ts';
import { consentsToAll } from '../manifest.ts';
import type { Json } from '../read.ts';
import { type Conversation, type Message, nothing, type Person, type Shown } from '../shapes.ts';
import { isInstalled, newActivityId } from '../world.ts';
import { around, clientInfo, type Scene } from './activity.ts';
import { attachedFile, pastedPicture } from './files.ts';
import { encodedText, escaped, forwardOf, htmlOf, quoteOf } from './html.ts';

export interface SayOptions {
  /** The thread's first message; in channels only. */
  readonly thread?: string;
  /** Pictures pasted into the message. */
  readonly pictures?: readonly FileOptions[];
  /** Files attached with the paperclip. In groups and channels the app gets only a placeholder in the HTML. */
  readonly files?: readonly FileOptions[];
  /** A message of the same chat that this message quotes. */
  readonly quoting?: Message;
  /** A message of another conversation that this message forwards. */
  readonly forwarding?: Message;
  /** True if only the app sees the message (Teams documentation, "Send and receive targeted messages"). */
  readonly targeted?: boolean;
  /** True if the text is HTML-encoded, as some clients send it. */
  readonly encoded?: boolean;
  /** Subject of a post in a channel. */
  readonly subject?: string;
  /** Replaces the HTML copy; `''` omits it. */
  readonly html?: string;
  /** Further attachments, sent unchanged. */
  readonly attachments?: readonly Json[];
  /** Stores the message, but sends the app no event. */
  readonly silent?: boolean;
}

export interface Said extends SayOptions {
  readonly text: string;
}

export interface Heard {
  readonly message: Message;
  /** Absent if the app does not get the message. */
  readonly delivery?: Delivery;
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
    shown: written(scene, conversation, said),
    ...(said.targeted && { onlyFor: person.aadObjectId }),
    ...(said.subject !== undefined && { subject: said.subject }),
    postedAt: clock.now(),
    history: [],
    reactions: new Map(),
    views: new Map(),
  };
  conversation.members.add(person.aadObjectId);
  conversation.messages.push(message);
  const { world } = scene.server;
  if (said.targeted && !world.manifest.targeted)
    throw new Error('Teams lets nobody send targeted messages to an app that does not ask for them.');
  const heard = said.targeted
    ? isInstalled(world, scene.tenant, conversation)
    : hears(scene, conversation, message.shown);
  if (said.silent === true || !heard) return { message };
  return { message, delivery: scene.deliver(messageActivity(scene, person, conversation, message)) };
}

/** Returns the visible content of a typed message, with its HTML copy. */
export function written(scene: Scene, conversation: Conversation, said: Said): Shown {
  const { server, tenant } = scene;
  const add = (given: FileOptions) => addFile(server.world, tenant, given);
  const pictures = (said.pictures ?? []).map((each) => pastedPicture(server, tenant, add(each)));
  const files = (said.files ?? []).map((each) => attachedFile(server, tenant, add(each)));
  const quote = said.quoting === undefined ? [] : [quoteOf(tenant, server.world.app, said.quoting)];
  const marks = [...pictures, ...(conversation.kind === 'personal' ? [] : files)];
  const html = said.html ?? htmlOf(said.text, marks, quote);
  const forwarded = said.forwarding === undefined ? [] : [forwardOf(tenant, said.forwarding)];
  return {
    ...nothing,
    text: said.encoded ? encodedText(said.text) : said.text,
    textFormat: 'plain',
    attachments: [
      ...quote.map(({ attachment }) => attachment),
      ...forwarded,
      ...pictures.map(({ attachment }) => attachment),
      ...(conversation.kind === 'personal' && server.world.manifest.files
        ? files.map(({ attachment }) => attachment)
        : []),
      ...(said.attachments ?? []),
      ...(html === '' ? [] : [{ contentType: 'text/html', content: html }]),
    ],
    entities: mentionsIn(scene, said.text),
  };
}

/**
 * True if the app receives the message. In a personal chat, it receives every message. Elsewhere, the message must
 * mention the app, or the owners must have consented to all messages.
 */
export function hears({ server, tenant }: Scene, conversation: Conversation, shown: Shown): boolean {
  const { manifest, app } = server.world;
  if (!manifest.listens || !isInstalled(server.world, tenant, conversation)) return false;
  if (conversation.kind === 'personal' || conversation.copilot) return true;
  const mentioned = shown.entities.some((each) => (each.mentioned as Json).id === app.botId);
  return mentioned || consentsToAll(manifest, conversation);
}

/** Finds mentions of the app and of people of the tenant, written `<at>Name</at>`. */
function mentionsIn({ server, tenant }: Scene, text: string): readonly Json[] {
  const { app } = server.world;
  const known = [
    { id: app.botId, name: app.name },
    ...[...tenant.people.values()].map(({ id, name }) => ({ id, name })),
  ];
  return [...text.matchAll(/<at>(.*?)<\/at>/g)].flatMap(([whole, name]) => {
    const mentioned = known.find((each) => escaped(each.name) === escaped(name ?? ''));
    return mentioned === undefined ? [] : [{ type: 'mention', mentioned, text: whole }];
  });
}

/** The mention that Copilot adds has no text (microsoft/teams.py pull request 180). */
const copilotEntities = ({ server: { world } }: Scene): readonly Json[] => [
  { type: 'mention', mentioned: { id: world.app.botId, name: world.app.name } },
  { type: 'ProductInfo', id: 'COPILOT' },
];

export function messageActivity(
  scene: Scene,
  person: Person,
  conversation: Conversation,
  message: Message,
): Json {
  const { shown } = message;
  const activity = around(scene, { person, conversation, message });
  return {
    type: 'message',
    id: message.id,
    ...activity,
    text: shown.text,
    textFormat: 'plain',
    attachments: shown.attachments,
    entities: [
      ...shown.entities,
      ...(conversation.copilot ? copilotEntities(scene) : []),
      clientInfo(person),
    ],
    // `recipient.isTargeted` marks a message that only the app sees (page "Send and receive targeted messages").
    ...(message.onlyFor !== undefined && {
      recipient: { ...(activity.recipient as Json), isTargeted: true },
    }),
  };
}
