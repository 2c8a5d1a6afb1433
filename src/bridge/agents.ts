/** The configured agents, each with the gateway of its interface. */

import type { AgentSettings, Config, CredentialSettings } from '../config/schema.ts';
import type { Agent, Finding } from '../core/agents/agent.ts';
import type { PlatformHealth } from '../core/agents/breaker.ts';
import type { Directory } from '../core/agents/routing.ts';
import { agentName } from '../core/ids.ts';
import type { AgentCredential, AgentOptions, Platform } from '../platform/index.ts';

type MediaSettings = Extract<CredentialSettings, { kind: 'client-token' | 'client-account' }>;

/** @param health the platform's health; absent if questions are not kept during an outage */
export function makeDirectory(config: Config, platform: Platform, health?: PlatformHealth): Directory {
  const agents = Object.entries(config.agents).map(([name, settings]): Agent => {
    const { description, icon, workspace } = settings;
    const gateway = platform.gateway(optionsOf(settings));
    const { kind } = settings.credential;
    const oneAccount = kind === 'api-key' || kind === 'idp';
    return {
      name: agentName(name),
      description,
      ...(icon !== undefined && { icon }),
      interface: settings.interface,
      ...(oneAccount && { oneAccount }),
      ...(workspace !== undefined && { workspace }),
      gateway,
      ...(health !== undefined && { health }),
    };
  });
  return {
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    fallback: agentName(config.defaultAgent),
  };
}

function optionsOf(settings: AgentSettings): AgentOptions {
  switch (settings.interface) {
    case 'open':
      return {
        interface: 'open',
        credential: credentialOf(settings.credential),
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

/** Options of both lite interfaces. */
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

function credentialOf(settings: CredentialSettings): AgentCredential {
  switch (settings.kind) {
    case 'api-key':
      return { kind: 'api-key', key: settings.key };
    case 'client-token': {
      const { kind, clientId, clientSecret, username } = settings;
      return { kind, clientId, secret: clientSecret, username };
    }
    case 'client-account':
      return settings;
    case 'idp':
      return { kind: 'idp', token: () => Promise.resolve(settings.tokenFile) };
  }
}

const DAY_MS = 86_400_000;
/** The warning starts this many days before a key's deadline (platform contract AUT-18). */
const WARNING_DAYS = 14;

/** Findings about the API keys with a configured deadline. */
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
