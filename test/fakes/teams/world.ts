/** Tenants with their people, teams, channels and chats, and the app. */

import { createHash } from 'node:crypto';
import type { Clock } from '../../../src/core/clock.ts';
import { checkedIn, type Manifest, readManifest } from './manifest.ts';
import type { ChannelType, Conversation, Message, Person, Team, Tenant } from './shapes.ts';

export interface App {
  /** Microsoft app id, a GUID. */
  readonly id: string;
  readonly name: string;
  /** Valid client secrets; a test adds and deletes them to rotate. */
  readonly secrets: Set<string>;
  /** Id in conversations: `28:` and the app id. */
  readonly botId: string;
  /** Application ID URI for single sign-on. */
  readonly resource: string;
  /** Registered redirect addresses of a sign-in in the browser. */
  readonly redirects: Set<string>;
}

export interface World {
  readonly clock: Clock;
  readonly app: App;
  /** The manifest of the app; a test uploads another one. */
  manifest: Manifest;
  readonly tenants: Map<string, Tenant>;
  newGuid(): string;
  /** Returns a unique word, as a substitute for the random bytes in Teams' ids. */
  newWord(): string;
}

export const demoApp = (): App => ({
  id: '6f0f5c6a-7a31-4c0e-9d0e-3a1c5b1f7e01',
  name: 'Parley',
  secrets: new Set(['fake~secret-of-the-app.0123456789']),
  botId: '28:6f0f5c6a-7a31-4c0e-9d0e-3a1c5b1f7e01',
  resource: 'api://botid-6f0f5c6a-7a31-4c0e-9d0e-3a1c5b1f7e01',
  redirects: new Set(),
});

export function createWorld(clock: Clock, app: App = demoApp()): World {
  let ids = 0;
  const next = () => {
    ids += 1;
    return ids.toString(16).padStart(12, '0');
  };
  return {
    clock,
    app,
    manifest: readManifest(checkedIn()),
    tenants: new Map(),
    newGuid: () => `00000000-0000-4000-8000-${next()}`,
    newWord: () => createHash('sha256').update(`word ${next()}`).digest('base64url').slice(0, 32),
  };
}

export interface TenantOptions {
  readonly id?: string;
  readonly name?: string;
}

export function addTenant(world: World, options: TenantOptions = {}): Tenant {
  const tenant: Tenant = {
    id: options.id ?? world.newGuid(),
    name: options.name ?? `Organization ${world.tenants.size + 1}`,
    people: new Map(),
    teams: new Map(),
    conversations: new Map(),
    files: new Map(),
    memberKey: 'id',
    enabled: true,
  };
  world.tenants.set(tenant.id, tenant);
  return tenant;
}

export interface PersonOptions {
  readonly name?: string;
  readonly email?: string;
  /** Set both ids to make the same person known in two tenants. */
  readonly aadObjectId?: string;
  readonly id?: string;
  /** Id of the tenant that the person belongs to. */
  readonly home?: string;
  readonly role?: Person['role'];
  readonly bot?: boolean;
  readonly locale?: string;
}

export function addPerson(world: World, tenant: Tenant, options: PersonOptions = {}): Person {
  const { name = `Person ${tenant.people.size + 1}`, bot = false } = options;
  const aadObjectId = options.aadObjectId ?? world.newGuid();
  const person: Person = {
    id: options.id ?? (bot ? `28:${aadObjectId}` : `29:1${world.newWord()}`),
    aadObjectId,
    name,
    email: options.email ?? `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')}@example.com`,
    home: options.home ?? tenant.id,
    role: options.role ?? 'user',
    bot,
    locale: options.locale ?? 'en-US',
  };
  tenant.people.set(aadObjectId, person);
  return person;
}

export interface TeamOptions {
  readonly id?: string;
  readonly name?: string;
  /** False if the app is not added. */
  readonly installed?: boolean;
  /** Resource-specific consents, such as `ChannelMessage.Read.Group`. */
  readonly consents?: readonly string[];
}

/** Creates a team with its General channel. */
export function addTeam(world: World, tenant: Tenant, options: TeamOptions = {}): Team {
  const id = options.id ?? `19:${world.newWord()}@thread.tacv2`;
  const team: Team = {
    id,
    aadGroupId: world.newGuid(),
    tenant: tenant.id,
    name: options.name ?? `Team ${tenant.teams.size + 1}`,
    channels: [],
    members: new Set(),
    installed: options.installed ?? true,
    consents: new Set(options.consents),
  };
  tenant.teams.set(id, team);
  addChannel(world, tenant, team, { id, name: 'General' });
  return team;
}

export interface ChannelOptions {
  readonly id?: string;
  readonly name?: string;
  readonly type?: ChannelType;
  /** Members of a private or shared channel; a standard channel has those of its team. */
  readonly members?: readonly Person[];
}

export function addChannel(
  world: World,
  tenant: Tenant,
  team: Team,
  { id, name, type, members }: ChannelOptions = {},
): Conversation {
  const isStandard = type === undefined || type === 'standard';
  const channel = addConversation(tenant, {
    id: id ?? `19:${world.newWord()}@thread.tacv2`,
    kind: 'channel',
    name: name ?? `channel ${team.channels.length}`,
    // A standard channel has the members of its team, and each channel has the consents of its team.
    members: isStandard ? team.members : new Set(members?.map(({ aadObjectId }) => aadObjectId)),
    consents: team.consents,
    // "App installed to host team automatically available in channel": standard channels only (page on shared channels).
    installed: isStandard && team.installed,
    team: team.id,
    ...(type !== undefined && { type }),
  });
  team.channels.push(channel.id);
  return channel;
}

export interface ChatOptions {
  readonly id?: string;
  readonly name?: string;
  readonly members?: readonly Person[];
  readonly installed?: boolean;
  readonly consents?: readonly string[];
}

export function addChat(world: World, tenant: Tenant, options: ChatOptions = {}): Conversation {
  return addConversation(tenant, {
    id: options.id ?? `19:${world.newWord()}@thread.v2`,
    kind: 'groupChat',
    name: options.name ?? '',
    members: new Set(options.members?.map(({ aadObjectId }) => aadObjectId)),
    consents: new Set(options.consents),
    installed: options.installed ?? true,
  });
}

/**
 * Creates a person's chat in Microsoft 365 Copilot in which they mention the app. Copilot describes it as a group chat
 * (payload in microsoft/teams.py pull request 180).
 */
export function addCopilotChat(world: World, tenant: Tenant, { aadObjectId }: Person): Conversation {
  return addConversation(tenant, {
    id: `19:${world.newWord()}@thread.v2`,
    kind: 'groupChat',
    name: '',
    members: new Set([aadObjectId]),
    consents: new Set(),
    installed: true,
    copilot: true,
  });
}

/** Returns the chat between the app and one person. Creates it, with the app installed, if there is none. */
export function personalChat(world: World, tenant: Tenant, person: Person): Conversation {
  const { aadObjectId } = person;
  for (const conversation of tenant.conversations.values())
    if (conversation.partner === aadObjectId) return conversation;
  return addConversation(tenant, {
    id: `a:1${world.newWord()}${world.newWord()}`,
    kind: 'personal',
    name: '',
    members: new Set([aadObjectId]),
    consents: new Set(),
    installed: true,
    partner: aadObjectId,
  });
}

function addConversation(
  tenant: Tenant,
  given: Omit<Conversation, 'tenant' | 'messages' | 'blocked'>,
): Conversation {
  const conversation: Conversation = { ...given, tenant: tenant.id, messages: [], blocked: false };
  tenant.conversations.set(conversation.id, conversation);
  return conversation;
}

/** Returns an activity id like Teams': a time in milliseconds, unique in its conversation only. */
export function newActivityId(clock: Clock, { messages }: Conversation): string {
  const last = messages.reduce((most, { id }) => Math.max(most, Number(id)), 0);
  return String(Math.max(last + 1, clock.now()));
}

/** True if the app is in the conversation, which needs a scope of its manifest. */
export function isInstalled(
  { manifest }: Pick<World, 'manifest'>,
  tenant: Tenant,
  conversation: Conversation,
): boolean {
  const { kind, type = 'standard', team, installed } = conversation;
  if (conversation.copilot) return tenant.enabled && manifest.copilot;
  if (!tenant.enabled || !manifest.kinds.has(kind) || !manifest.channelTypes.has(type)) return false;
  const inTeam = team === undefined || tenant.teams.get(team)?.installed === true;
  return inTeam && (installed || (team !== undefined && type === 'standard'));
}

/** Separates the channel id from the id of the thread's first message in a conversation id. */
const ROOT = ';messageid=';

export interface Address {
  readonly room: string;
  readonly root?: string;
}

export function readAddress(id: string): Address {
  const at = id.indexOf(ROOT);
  return at < 0 ? { room: id } : { room: id.slice(0, at), root: id.slice(at + ROOT.length) };
}

/** Returns the conversation id that activities for this message contain. */
export const addressOf = (conversation: Conversation, { root }: Pick<Message, 'root'>): string =>
  conversation.kind === 'channel' ? `${conversation.id}${ROOT}${root}` : conversation.id;
