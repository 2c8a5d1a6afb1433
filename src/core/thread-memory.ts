/** What a thread remembers besides its sessions: the agent chosen by `use`, and the last answer's sources. */

import { type AgentName, agentName } from './ids.ts';
import { laneOf, type ThreadRef } from './message.ts';
import type { Source } from './reply.ts';
import type { Keyed } from './stores.ts';

const DAY_MS = 24 * 60 * 60_000;
/** As long as sessions. */
const CHOICE_KEPT_MS = 30 * DAY_MS;
/** Fragments are text: kept no longer than a question for Retry (delivery contract 6). */
const SOURCES_KEPT_MS = DAY_MS;

export interface ThreadMemory {
  chosenAgent(thread: ThreadRef): Promise<AgentName | undefined>;
  chooseAgent(thread: ThreadRef, agent: AgentName): Promise<void>;
  lastSources(thread: ThreadRef): Promise<readonly Source[]>;
  keepSources(thread: ThreadRef, sources: readonly Source[]): Promise<void>;
}

export function createThreadMemory(state: Keyed): ThreadMemory {
  const agentKey = (thread: ThreadRef) => `agent ${laneOf(thread)}`;
  const sourcesKey = (thread: ThreadRef) => `sources ${laneOf(thread)}`;
  return {
    async chosenAgent(thread) {
      const name = await state.get(agentKey(thread));
      return typeof name === 'string' ? agentName(name) : undefined;
    },
    chooseAgent: (thread, agent) => state.set(agentKey(thread), agent, CHOICE_KEPT_MS),
    async lastSources(thread) {
      const sources = await state.get(sourcesKey(thread));
      return Array.isArray(sources) ? (sources as readonly Source[]) : [];
    },
    keepSources: (thread, sources) => state.set(sourcesKey(thread), sources, SOURCES_KEPT_MS),
  };
}
