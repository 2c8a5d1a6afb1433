/**
 * The app's manifest, as Teams reads it. Teams delivers to an app, and lets people do with it, only what its manifest
 * asks for. The rules of the manifest are those of schema 1.30 (@microsoft/app-manifest) and of the pages that are named
 * below, all under https://learn.microsoft.com/microsoftteams/platform/
 */

import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { child, isJson, type Json, list, text } from './read.ts';
import type { ChannelType, Conversation, Kind } from './shapes.ts';

export interface Manifest {
  /** Kinds of conversations to which people can add the app: `bots[].scopes`. */
  readonly kinds: ReadonlySet<Kind>;
  /** Types of channels to which people can add the app (page "build-apps-for-shared-private-channels"). */
  readonly channelTypes: ReadonlySet<ChannelType>;
  /** False if the app only sends: `isNotificationOnly`. */
  readonly listens: boolean;
  /** True if files reach the app in personal chats (page "bots/how-to/bots-filesv4", "supportsFiles"). */
  readonly files: boolean;
  /** True if people can send targeted messages (page "agents-in-teams/targeted-messages"). Any app may post them. */
  readonly targeted: boolean;
  /** Resource-specific permissions that owners can consent to (page "graph-api/rsc/resource-specific-consent"). */
  readonly permissions: ReadonlySet<string>;
  /** The resource of single sign-on (page "bots/how-to/authentication/bot-sso-manifest"); absent if there is none. */
  readonly resource?: string;
  /** Hosts of pages that the app may open, such as that of a sign-in: `validDomains`. */
  readonly domains: readonly string[];
  /** Ids of commands in the menu of a message (page "messaging-extensions/how-to/action-commands/define-action-command"). */
  readonly messageActions: ReadonlySet<string>;
  /** True if Microsoft 365 Copilot offers the app: `copilotAgents.customEngineAgents`. */
  readonly copilot: boolean;
  /** Returns the titles of the commands that Teams offers in the conversation (page "agents-in-teams/agent-slash-commands"). */
  commands(conversation: Pick<Conversation, 'kind'>, trigger: 'mention' | 'slash'): readonly string[];
}

/** The names of the kinds of conversations in a manifest. */
const SCOPES: Readonly<Record<Kind, string>> = {
  personal: 'personal',
  groupChat: 'groupChat',
  channel: 'team',
};

/** The manifest in the repository, which a fake reads unless a test uploads another one. */
export const checkedIn = (): Json =>
  JSON.parse(
    readFileSync(new URL('../../../manifests/teams/manifest.json', import.meta.url), 'utf8'),
  ) as Json;

/** Returns the manifest in an app package. */
export function unpacked(zip: Uint8Array): Json {
  const files = unzipSync(zip);
  const manifest: unknown = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()));
  if (!isJson(manifest)) throw new Error('The app package has no manifest.');
  for (const icon of Object.values(child(manifest, 'icons') ?? {}))
    if (files[String(icon)] === undefined) throw new Error(`The app package has no icon ${String(icon)}.`);
  return manifest;
}

/** Reads a manifest. Throws an error if Teams would refuse the upload. */
export function readManifest(manifest: Json): Manifest {
  const [bot] = list(manifest, 'bots');
  if (bot === undefined) throw new Error('The app has no bot.');
  const scopes = words(bot, 'scopes');
  const isForAllChannels = manifest.supportsChannelFeatures === 'tier1';
  // Seen at uploads: "Applications with manifest version 1.25 or higher that support the 'team' scope must include the
  // 'supportsChannelFeatures' property."
  if (
    scopes.includes('team') &&
    !isForAllChannels &&
    Number(text(manifest, 'manifestVersion')?.slice(2)) >= 25
  )
    throw new Error(
      "The manifest supports the 'team' scope, but does not include 'supportsChannelFeatures'.",
    );
  const lists = list(bot, 'commandLists');
  const targeted = bot.supportsTargetedMessages === true;
  const agents = list(child(manifest, 'copilotAgents'), 'customEngineAgents');
  const resource = text(child(manifest, 'webApplicationInfo'), 'resource');
  const permissions = list(child(child(manifest, 'authorization'), 'permissions'), 'resourceSpecific');
  const actions = list(manifest, 'composeExtensions').flatMap((each) => list(each, 'commands'));
  return {
    kinds: new Set((Object.keys(SCOPES) as Kind[]).filter((kind) => scopes.includes(SCOPES[kind]))),
    channelTypes: new Set(isForAllChannels ? ['standard', 'private', 'shared'] : ['standard']),
    listens: bot.isNotificationOnly !== true,
    files: bot.supportsFiles === true,
    targeted,
    permissions: new Set(permissions.map((each) => text(each, 'name') ?? '')),
    ...(resource !== undefined && { resource }),
    domains: words(manifest, 'validDomains'),
    messageActions: new Set(actions.filter(isInMenu).map((each) => text(each, 'id') ?? '')),
    copilot: scopes.includes('copilot') && agents.some(({ id }) => id === bot.botId),
    commands: ({ kind }, trigger) =>
      lists
        .filter((each) => words(each, 'scopes').includes(SCOPES[kind]))
        .filter((each) =>
          (Array.isArray(each.triggers) ? words(each, 'triggers') : ['mention']).includes(trigger),
        )
        // Slash commands need targeted messages, and "Targeted messaging isn't available in one-on-one chats".
        .filter(() => trigger === 'mention' || (targeted && kind !== 'personal'))
        .flatMap((each) => list(each, 'commands').map((command) => text(command, 'title') ?? '')),
  };
}

const isInMenu = ({ type, context, fetchTask }: Json): boolean =>
  type === 'action' && fetchTask === true && Array.isArray(context) && context.includes('message');

const words = (from: Json, name: string): readonly string[] => {
  const value = from[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
};

/** True if the manifest asks for every message of the conversation, and the owners consent. */
export function consentsToAll({ permissions }: Manifest, { kind, consents }: Conversation): boolean {
  const consent = kind === 'channel' ? 'ChannelMessage.Read.Group' : 'ChatMessage.Read.Chat';
  return permissions.has(consent) && consents.has(consent);
}
