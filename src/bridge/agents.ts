/** The configured agents, each with the gateway of its interface. */

import { MAIN } from '../config/platform-setting.ts';
import {
  type Config,
  type CredentialSettings,
  credentialOf,
  type OwnAgentSettings,
  type PlatformAgentSettings,
} from '../config/schema.ts';
import { type Agent, type AgentGateway, type Finding, OWN } from '../core/agents/agent.ts';
import type { PlatformHealth } from '../core/agents/breaker.ts';
import type { Library } from '../core/agents/library.ts';
import type { Directory } from '../core/agents/routing.ts';
import { agentName } from '../core/ids.ts';
import { BridgeError } from '../errors.ts';
import type { AgentCredential, AgentOptions, Platform } from '../platform/index.ts';
import type { AskerTokenStore } from './asker-tokens.ts';
import type { ModelServers } from './model-servers.ts';

type MediaSettings = Extract<CredentialSettings, { kind: 'client-token' | 'client-account' }>;

/** Returns the identity provider's token for an account. */
type TokenOf = AskerTokenStore['secretOf'];

/** Used for commands of the command line, in which no person signs in. */
const noTokens: TokenOf = () =>
  Promise.reject(
    new BridgeError('sign-in-needed', "Only a chat can provide a person's own token, not a command."),
  );

/** Client, health and documents of a platform, shared by its agents. */
export interface AgentPlatform {
  readonly client: Pick<Platform, 'gateway'>;
  /** The platform's health; absent if questions are not kept during an outage. */
  readonly health?: PlatformHealth | undefined;
  /** Absent if the configuration has no credential for the platform's documents. */
  readonly library?: Library | undefined;
}

/** Returns the gateway of an agent that runs without a platform. */
export type OwnGatewayOf = (name: string, settings: OwnAgentSettings) => AgentGateway;

interface DirectoryDeps {
  /** The platforms by name. Agents of other platforms are left out. */
  readonly platforms: ReadonlyMap<string, AgentPlatform>;
  readonly tokenOf?: TokenOf;
  /** If absent, agents that run without a platform are left out. Without `healthOf`, their questions are not kept. */
  readonly own?: { readonly gatewayOf: OwnGatewayOf; readonly healthOf?: ModelServers['healthOf'] };
}

export function makeDirectory(config: Config, deps: DirectoryDeps): Directory {
  const agents = Object.entries(config.agents).flatMap(([name, settings]): readonly Agent[] => {
    const service = isOwn(settings) ? ownService(name, settings, deps) : platformService(settings, deps);
    if (service === undefined) return [];
    const { description, icon, group, questions, interface: kind } = settings;
    const card = {
      name: agentName(name),
      description,
      ...(icon !== undefined && { icon }),
      ...(group !== undefined && { group }),
      ...(questions !== undefined && { questions }),
      interface: kind,
    };
    return [{ ...card, ...service }];
  });
  return {
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    fallback: agentName(config.defaultAgent),
  };
}

type Service = Omit<Agent, 'name' | 'description' | 'icon' | 'group' | 'questions' | 'interface'>;

const isOwn = (settings: Config['agents'][string]): settings is OwnAgentSettings => settings.platform === OWN;

function ownService(name: string, settings: OwnAgentSettings, { own }: DirectoryDeps): Service | undefined {
  if (own === undefined) return undefined;
  const gateway = own.gatewayOf(name, settings);
  const health = own.healthOf?.(name, settings, gateway);
  return { oneAccount: true, platform: OWN, gateway, ...(health !== undefined && { health }) };
}

function platformService(
  settings: PlatformAgentSettings,
  { platforms, tokenOf = noTokens }: DirectoryDeps,
): Service | undefined {
  const { workspace, platform, credential } = settings;
  const shared = platforms.get(platform);
  if (shared === undefined) return undefined;
  const { client, health, library } = shared;
  const { kind } = credential;
  const isMain = platform === MAIN;
  const oneAccount = !isMain || kind === 'api-key' || kind === 'idp';
  return {
    ...(oneAccount && { oneAccount }),
    ...(kind === 'asker' && { asAsker: true as const }),
    ...(workspace !== undefined && { workspace }),
    ...(!isMain && { platform }),
    gateway: client.gateway(optionsOf(settings, tokenOf)),
    ...(library !== undefined && { library }),
    ...(health !== undefined && { health }),
  };
}

function optionsOf(settings: PlatformAgentSettings, tokenOf: TokenOf): AgentOptions {
  switch (settings.interface) {
    case 'open':
      return {
        interface: 'open',
        credential: agentCredential(settings.credential, tokenOf),
        expertCode: settings.expertCode,
        includeThought: settings.includeThought,
        ...(settings.chatLanguage !== undefined && { chatLanguage: settings.chatLanguage }),
      };
    case 'lite-key':
      return {
        interface: 'lite-key',
        credential: agentCredential(settings.credential),
        ...liteOf(settings),
        ...mediaOf(settings.mediaCredential),
      };
    case 'lite-token':
      return {
        interface: 'lite-token',
        credential: agentCredential(settings.credential),
        agentId: settings.agentId,
        ...liteOf(settings),
        legacyImageUpload: settings.legacyImageUpload,
        ...(settings.imageKey !== undefined && { imageKey: settings.imageKey }),
      };
  }
}

type LiteSettings = Extract<PlatformAgentSettings, { interface: 'lite-key' | 'lite-token' }>;

/** Returns the options that apply to both lite interfaces. */
function liteOf({ showToolResult, skipHint, seesImages, fileIds, workspaceIds }: LiteSettings) {
  return {
    showToolResult,
    skipHint,
    seesImages,
    ...(fileIds !== undefined && { fileIds }),
    ...(workspaceIds !== undefined && { workspaceIds }),
  };
}

function mediaOf(settings: MediaSettings | undefined): Pick<AgentOptions, 'mediaCredential'> {
  return settings === undefined ? {} : { mediaCredential: agentCredential(settings) };
}

function agentCredential(settings: CredentialSettings, tokenOf: TokenOf = noTokens): AgentCredential {
  switch (settings.kind) {
    case 'asker':
      return askerCredential(tokenOf, settings.elsewhere && sharedOf(settings.elsewhere));
    case 'api-key':
      return { kind: 'api-key', key: settings.key };
    case 'client-token': {
      const { kind, clientId, clientSecret, username } = settings;
      return { kind, clientId, secret: clientSecret, username };
    }
    case 'client-account':
    case 'idp':
      return sharedOf(settings);
  }
}

type SharedSettings = Extract<CredentialSettings, { kind: 'client-account' | 'idp' }>;

/** Returns a credential of the Open API that everyone shares. */
function sharedOf(settings: SharedSettings) {
  if (settings.kind === 'client-account') return settings;
  return { kind: 'idp', token: () => Promise.resolve(settings.tokenFile) } as const;
}

type AskerCredential = Extract<AgentCredential, { kind: 'asker' }>;

export const askerCredential = (
  token: TokenOf,
  elsewhere: AskerCredential['elsewhere'] | undefined,
): AskerCredential => ({ kind: 'asker', token, ...(elsewhere !== undefined && { elsewhere }) });

const DAY_MS = 86_400_000;
/** The warning starts this many days before a key's deadline (platform contract AUT-18). */
const WARNING_DAYS = 14;

/** Returns findings about the API keys that have a configured deadline. */
export function keyDeadlines({ agents }: Pick<Config, 'agents'>, now: number): readonly Finding[] {
  return Object.entries(agents).flatMap(([name, agent]) => {
    const credential = credentialOf(agent);
    return credential?.kind === 'api-key' && credential.expiresAt !== undefined
      ? [findingOf(name, credential.expiresAt, now)]
      : [];
  });
}

function findingOf(agent: string, expiresAt: string, now: number): Finding {
  const what = `agent ${agent}, API key`;
  const days = Math.floor((Date.parse(expiresAt) - now) / DAY_MS);
  if (days < 0) {
    return { what, ok: false, detail: `expired at ${expiresAt}. Create a new key and set it.` };
  }
  if (days > WARNING_DAYS) return { what, ok: true, detail: `valid until ${expiresAt}` };
  return {
    what,
    ok: false,
    detail: `expires in ${days} days, at ${expiresAt}. Create a new key and set it.`,
  };
}
