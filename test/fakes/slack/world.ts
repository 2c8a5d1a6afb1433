/** The state of the fake: one app, and its workspaces with their people and rooms. */

import type { Clock } from '../../../src/core/clock.ts';
import { manifestEvents, manifestScopes } from './manifest.ts';
import type { Channel, Json, Person, Token, Workspace } from './shapes.ts';

/** The app's data as on https://api.slack.com/apps. The values are fixed, so that tests may contain them. */
export interface App {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingSecret: string;
  /** App-level token `xapp-…` with the scope connections:write. */
  readonly appToken: string;
  /** The deprecated shared token of every event. */
  readonly verificationToken: string;
}

export const demoApp: App = {
  id: 'A0PARLEY001',
  name: 'Parley',
  clientId: '1111111111.2222222222',
  clientSecret: 'fake-client-secret-0123456789abcdef',
  signingSecret: 'fake-signing-secret-0123456789abcde',
  appToken: 'xapp-1-A0PARLEY001-1-fakeapptoken',
  verificationToken: 'fakeVerificationToken000',
};

/** One event for the app: the inner event, and the data of its envelope. */
export interface Outgoing {
  readonly team: string;
  readonly event: Json;
  /** Scope that the app needs to receive the event. */
  readonly scope?: string;
  readonly external?: boolean;
}

export interface World {
  readonly clock: Clock;
  readonly app: App;
  readonly workspaces: Map<string, Workspace>;
  readonly tokens: Map<string, Token>;
  /** Processing time of an uploaded file in milliseconds; until then, the file has no type. */
  readonly processingMs: number;
  /** Milliseconds for which a trigger id is valid. */
  readonly triggerMs: number;
  /** The team that presses in an organization name as the person's. */
  pressersAreOf: 'home' | 'organization';
  /** The bot events that the app subscribed to (`message.channels`, …). */
  subscriptions: ReadonlySet<string>;
  newId(prefix: string): string;
  newTs(): string;
  /** Delivers an event to the app. The fake server sets this function when it starts. */
  emit(outgoing: Outgoing): void;
}

export interface WorkspaceOptions {
  readonly id?: string;
  readonly name?: string;
  readonly enterprise?: string;
  readonly scopes?: readonly string[];
  readonly installed?: boolean;
  readonly agent?: boolean;
}

export interface PersonOptions {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
  readonly team?: string;
  readonly guest?: 'multi-channel' | 'single-channel';
  readonly bot?: boolean;
  readonly deleted?: boolean;
}

export interface ChannelOptions {
  readonly id?: string;
  readonly name?: string;
  readonly kind?: Channel['kind'];
  readonly members?: readonly string[];
  readonly external?: boolean;
  /** False if the app was not invited. */
  readonly withApp?: boolean;
}

const MICROSECONDS = 1_000;
/** Default processing time of an uploaded file, "about a second": slackapi/slack-github-action#413. */
const PROCESSING_MS = 1_000;
/**
 * Default validity of a trigger id, 3 s: https://docs.slack.dev/interactivity/handling-user-interaction#modal_responses
 */
const TRIGGER_MS = 3_000;

export function createWorld(
  clock: Clock,
  app: App = demoApp,
  {
    processingMs = PROCESSING_MS,
    triggerMs = TRIGGER_MS,
  }: Partial<Pick<World, 'processingMs' | 'triggerMs'>> = {},
): World {
  const workspaces = new Map<string, Workspace>();
  let ids = 0;
  let lastTs = 0;
  return {
    clock,
    app,
    processingMs,
    triggerMs,
    workspaces,
    tokens: new Map([
      [
        app.appToken,
        {
          value: app.appToken,
          kind: 'app',
          scopes: new Set(['connections:write', 'authorizations:read']),
          state: 'live',
        },
      ],
    ]),
    newId(prefix) {
      ids += 1;
      return `${prefix}${ids.toString(36).toUpperCase().padStart(10, '0')}`;
    },
    newTs() {
      lastTs = Math.max(lastTs + 1, clock.now() * MICROSECONDS);
      return `${Math.floor(lastTs / 1e6)}.${String(lastTs % 1e6).padStart(6, '0')}`;
    },
    pressersAreOf: 'home',
    subscriptions: new Set(manifestEvents),
    emit: () => undefined,
  };
}

export function addWorkspace(world: World, options: WorkspaceOptions = {}): Workspace {
  const id = options.id ?? world.newId('T');
  const token = `xoxb-${id}-${world.newId('')}`;
  const workspace: Workspace = {
    id,
    name: options.name ?? `Workspace ${world.workspaces.size + 1}`,
    domain: `workspace-${world.workspaces.size + 1}`,
    ...(options.enterprise === undefined ? {} : { enterprise: options.enterprise }),
    botUser: world.newId('U'),
    botId: world.newId('B'),
    token,
    channels: new Map(),
    people: new Map(),
    files: new Map(),
    views: new Map(),
    sessions: new Map(),
    statusLines: new Map(),
    unsupported: new Set(),
    prompts: new Map(),
    threadTitles: new Map(),
    agent: options.agent ?? true,
    installed: options.installed ?? true,
  };
  world.workspaces.set(id, workspace);
  if (workspace.installed) {
    const scopes = new Set(options.scopes ?? manifestScopes);
    world.tokens.set(token, { value: token, kind: 'bot', team: id, scopes, state: 'live' });
  }
  addPerson(world, workspace, { id: workspace.botUser, name: world.app.name.toLowerCase(), bot: true });
  return workspace;
}

export function addPerson(world: World, workspace: Workspace, options: PersonOptions = {}): Person {
  const id = options.id ?? world.newId('U');
  const { name = `person-${workspace.people.size}`, team = workspace.id, ...rest } = options;
  const person: Person = { email: `${name}@example.com`, tz: 'Europe/Berlin', ...rest, id, name, team };
  workspace.people.set(id, person);
  return person;
}

export function addChannel(world: World, workspace: Workspace, options: ChannelOptions = {}): Channel {
  const { kind = 'channel', members = [], withApp = true } = options;
  const id = options.id ?? world.newId(kind === 'im' ? 'D' : kind === 'channel' ? 'C' : 'G');
  const inside = withApp ? [workspace.botUser, ...members] : members;
  const channel: Channel = {
    id,
    name: options.name ?? `channel-${workspace.channels.size + 1}`,
    kind,
    members: new Set(inside),
    archived: false,
    external: options.external ?? false,
    messages: [],
  };
  workspace.channels.set(id, channel);
  return channel;
}

/** Returns the direct message between the app and a person; the first call opens it. */
export function directMessage(world: World, workspace: Workspace, person: string): Channel {
  for (const channel of workspace.channels.values()) if (channel.partner === person) return channel;
  const channel: Channel = {
    ...addChannel(world, workspace, { kind: 'im', members: [person], name: '' }),
    partner: person,
  };
  workspace.channels.set(channel.id, channel);
  return channel;
}
