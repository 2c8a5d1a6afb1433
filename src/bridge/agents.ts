/** The configured agents, each with the gateway of its interface. */

import { MAIN } from '../config/platform-setting.ts';
import type { AgentSettings, Config, CredentialSettings } from '../config/schema.ts';
import type { Agent, Finding } from '../core/agents/agent.ts';
import type { PlatformHealth } from '../core/agents/breaker.ts';
import type { Library } from '../core/agents/library.ts';
import type { Directory } from '../core/agents/routing.ts';
import { agentName } from '../core/ids.ts';
import { BridgeError } from '../errors.ts';
import type { AgentCredential, AgentOptions, Platform } from '../platform/index.ts';
import type { AskerTokenStore } from './asker-tokens.ts';

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

/** @param platforms the platforms by name; agents of other platforms are left out */
export function makeDirectory(
  config: Config,
  platforms: ReadonlyMap<string, AgentPlatform>,
  tokenOf: TokenOf = noTokens,
): Directory {
  const agents = Object.entries(config.agents).flatMap(([name, settings]): readonly Agent[] => {
    const { description, icon, group, questions, workspace, platform } = settings;
    const shared = platforms.get(platform);
    if (shared === undefined) return [];
    const { client, health, library } = shared;
    const { kind } = settings.credential;
    const isMain = platform === MAIN;
    const oneAccount = !isMain || kind === 'api-key' || kind === 'idp';
    const agent = {
      name: agentName(name),
      description,
      ...(icon !== undefined && { icon }),
      ...(group !== undefined && { group }),
      ...(questions !== undefined && { questions }),
      interface: settings.interface,
      ...(oneAccount && { oneAccount }),
      ...(kind === 'asker' && { asAsker: true as const }),
      ...(workspace !== undefined && { workspace }),
      ...(!isMain && { platform }),
      gateway: client.gateway(optionsOf(settings, tokenOf)),
      ...(library !== undefined && { library }),
      ...(health !== undefined && { health }),
    };
    return [agent];
  });
  return {
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    fallback: agentName(config.defaultAgent),
  };
}

function optionsOf(settings: AgentSettings, tokenOf: TokenOf): AgentOptions {
  switch (settings.interface) {
    case 'open':
      return {
        interface: 'open',
        credential: credentialOf(settings.credential, tokenOf),
        expertCode: settings.expertCode,
        includeThought: settings.includeThought,
        ...(settings.chatLanguage !== undefined && { chatLanguage: settings.chatLanguage }),
      };
    case 'lite-key':
      return {
        interface: 'lite-key',
        credential: credentialOf(settings.credential),
        ...liteOf(settings),
        ...mediaOf(settings.mediaCredential),
      };
    case 'lite-token':
      return {
        interface: 'lite-token',
        credential: credentialOf(settings.credential),
        agentId: settings.agentId,
        ...liteOf(settings),
        legacyImageUpload: settings.legacyImageUpload,
        ...(settings.imageKey !== undefined && { imageKey: settings.imageKey }),
      };
  }
}

type LiteSettings = Extract<AgentSettings, { interface: 'lite-key' | 'lite-token' }>;

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
  return settings === undefined ? {} : { mediaCredential: credentialOf(settings) };
}

function credentialOf(settings: CredentialSettings, tokenOf: TokenOf = noTokens): AgentCredential {
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
  return Object.entries(agents).flatMap(([name, { credential }]) =>
    credential.kind === 'api-key' && credential.expiresAt !== undefined
      ? [findingOf(name, credential.expiresAt, now)]
      : [],
  );
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
