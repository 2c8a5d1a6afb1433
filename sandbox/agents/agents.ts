import { Refusal } from '../http/reply.ts';
import type { Agent } from './agent.ts';
import { type DemoDeps, demoAgents } from './demo.ts';
import type { ListedAgent } from './directory.ts';
import { type KnowledgeDeps, knowledgeAgent, openingQuestions, passagesAgent, say } from './knowledge.ts';
import { type MadeDeps, madeAgent } from './made.ts';
import { createModel, freeAgent, type ModelSettings, modelAgent } from './model.ts';

/** What answers for each agent: a program of its own, or, where it was made through the API, its record. */
export function createAgents(
  demo: DemoDeps,
  parts: KnowledgeDeps,
  settings: ModelSettings | undefined,
): (agent: ListedAgent) => Agent {
  const model = settings && createModel(settings);
  const knowledge = model === undefined ? knowledgeAgent(parts) : modelAgent(parts, model);
  const programs: Readonly<Record<string, Agent>> = {
    ...demoAgents(demo),
    knowledge,
    guide: knowledge,
    'kb-demo': passagesAgent(parts),
  };
  const made: MadeDeps = {
    knowledge,
    free: model && freeAgent(model),
    say: (asked, text) => say(text, asked, parts),
    opening: (asked) => openingQuestions(asked, parts),
  };
  return (agent) => {
    if (agent.made !== undefined) return madeAgent(agent.made.conduct, made);
    const program = programs[agent.name];
    if (program === undefined) throw new Refusal(500, 50001, `The agent ${agent.name} does not run.`);
    return program;
  };
}
