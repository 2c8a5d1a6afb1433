/** The configured agents, each with the gateway of its interface. */

import type { AgentSettings, Config, CredentialSettings } from '../config/schema.ts';
import type { Agent } from '../core/agents/agent.ts';
import type { Directory } from '../core/agents/routing.ts';
import { agentName } from '../core/ids.ts';
import type { AgentCredential, AgentOptions, Platform } from '../platform/index.ts';

type MediaSettings = Extract<CredentialSettings, { kind: 'client-token' | 'client-account' }>;

export function makeDirectory(config: Config, platform: Platform): Directory {
  const agents = Object.entries(config.agents).map(([name, settings]): Agent => {
    const { description, icon } = settings;
    const gateway = platform.gateway(optionsOf(settings));
    const { kind } = settings.credential;
    const oneAccount = kind === 'api-key' || kind === 'idp';
    return {
      name: agentName(name),
      description,
      ...(icon !== undefined && { icon }),
      interface: settings.interface,
      ...(oneAccount && { oneAccount }),
      gateway,
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

/** What both lite interfaces take. */
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
