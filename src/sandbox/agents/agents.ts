import type { Agent } from './agent.ts';
import { type DemoParts, demoAgents } from './demo.ts';
import { type KnowledgeParts, knowledgeAgent, passagesAgent } from './knowledge.ts';
import { createModel, type ModelSettings } from './model.ts';
import { modelAgent } from './model-knowledge.ts';

/** Every agent of the catalogue by its name. */
export function createAgents(
  demo: DemoParts,
  knowledge: KnowledgeParts,
  model: ModelSettings | undefined,
): Readonly<Record<string, Agent>> {
  return {
    ...demoAgents(demo),
    knowledge: model === undefined ? knowledgeAgent(knowledge) : modelAgent(knowledge, createModel(model)),
    'kb-demo': passagesAgent(knowledge),
  };
}
