/** The servers of language models. While one is down, the questions to its agents are kept, as those to a platform are. */

import { DEFAULT_OUTAGE, MAIN } from '../config/platform-setting.ts';
import type { Config, OwnAgentSettings } from '../config/schema.ts';
import type { AgentGateway } from '../core/agents/agent.ts';
import { Breaker } from '../core/agents/breaker.ts';
import type { Clock } from '../core/clock.ts';
import { agentName } from '../core/ids.ts';
import type { WatchedPlatform } from '../core/turns/outages.ts';

const MINUTE_MS = 60_000;

export type ModelServers = ReturnType<typeof createModelServers>;

/** Collects the servers of the configured agents. The setting `platform.outage` applies to them too. */
export function createModelServers({ platforms }: Pick<Config, 'platforms'>, clock: Clock) {
  const { keepMinutes, failures, resumeAtOnce: atOnce } = platforms[MAIN]?.outage ?? DEFAULT_OUTAGE;
  const breakers = new Map<string, Breaker>();
  const agents: { readonly name: string; readonly address: string }[] = [];
  return {
    /** Returns the health of an agent's server; undefined if its questions are not kept during an outage. */
    healthOf(name: string, settings: OwnAgentSettings, { answers }: AgentGateway): Breaker | undefined {
      if (settings.interface !== 'openai' || answers === undefined || keepMinutes === 0) return undefined;
      const { baseUrl: address } = settings;
      const breaker = breakers.get(address) ?? new Breaker({ clock, failures, atOnce, probe: answers });
      breakers.set(address, breaker);
      agents.push({ name, address });
      return breaker;
    },
    watched: (): readonly WatchedPlatform[] =>
      [...breakers].map(([address, breaker]) => ({
        name: 'language model',
        address,
        breaker,
        agents: agents.filter((agent) => agent.address === address).map(({ name }) => agentName(name)),
        keepMs: keepMinutes * MINUTE_MS,
      })),
  };
}
