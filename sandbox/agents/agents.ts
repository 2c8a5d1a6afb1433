import { Refusal } from '../http/reply.ts';
import { phrases } from '../knowledge/answer.ts';
import { createComparison } from '../knowledge/questions.ts';
import { listedQuestions } from '../knowledge/shipped.ts';
import { languageOf } from '../words/terms.ts';
import { type Agent, type AgentRequest, type Piece, say } from './agent.ts';
import { type Conduct, holdsKeyword, inLanguage, type KeywordFilter } from './conduct.ts';
import { type DemoDeps, demoAgents } from './demo.ts';
import type { ListedAgent } from './directory.ts';
import { isGreeting, type KnowledgeDeps, knowledgeAgent, openingQuestions, STYLES } from './knowledge.ts';
import { createModel, freeAgent, type ModelSettings, modelAgent } from './model.ts';

/**
 * Returns a function that finds an agent's implementation. An agent that was created through the API answers as its
 * stored record says.
 */
export function createAgents(
  demo: DemoDeps,
  deps: KnowledgeDeps,
  settings: ModelSettings | undefined,
): (agent: ListedAgent) => Agent {
  const model = settings && createModel(settings);
  const knowledge = model ? modelAgent(deps, model) : knowledgeAgent(deps, STYLES.knowledge);
  const guided = { ...deps, compare: createComparison(listedQuestions) };
  const programs: Readonly<Record<string, Agent>> = {
    ...demoAgents(demo),
    knowledge,
    guide: model ? modelAgent(guided, model) : knowledgeAgent(guided, STYLES.guide),
    'kb-demo': knowledgeAgent(deps, STYLES['kb-demo']),
  };
  const made: MadeDeps = { ...deps, knowledge, free: model && freeAgent(model) };
  return (agent) => {
    if (agent.made !== undefined) return madeAgent(agent.made.conduct, made);
    const program = programs[agent.name];
    if (program === undefined) throw new Refusal(500, 50001, `The agent ${agent.name} is not running.`);
    return program;
  };
}

interface MadeDeps extends KnowledgeDeps {
  /** Answers from documents. */
  readonly knowledge: Agent;
  /** Answers with a model and without documents; undefined if no model is configured. */
  readonly free: Agent | undefined;
}

/**
 * Returns the implementation of an agent created through the API (platform contract EXP-17: welcomes; ADM-9: knowledge
 * settings; ADM-12: key words).
 */
function madeAgent(conduct: Conduct, deps: MadeDeps): Agent {
  return (given) => {
    const request = { ...given, history: turnsSeen(given.history, conduct), conduct };
    const { filter } = conduct;
    if (filter?.onQuestion !== undefined && holdsKeyword(request.question, filter))
      return say(filter.onQuestion, request, deps);
    const shaped = shapedBy(conduct, answerOf(conduct, request, deps));
    return filter?.onAnswer === undefined
      ? shaped
      : reviewed(shaped, filter, say(filter.onAnswer, request, deps));
  };
}

const turnsSeen = <T>(turns: readonly T[], { turns: seen }: Conduct): readonly T[] => {
  if (seen === undefined) return turns;
  return seen < 1 ? [] : turns.slice(-Math.floor(seen));
};

function answerOf(conduct: Conduct, request: AgentRequest, deps: MadeDeps): AsyncIterable<Piece> {
  const welcome = welcomeOf(conduct, request);
  if (welcome !== '' && isGreeting(request.question)) return welcomed(welcome, request, deps);
  if (conduct.workspaces?.length !== 0) return deps.knowledge(request);
  return deps.free?.(request) ?? say(introduction(conduct, request), request, deps);
}

/** Returns the agent's welcome in the caller's language. */
function welcomeOf({ greetings }: Conduct, { chatLanguage, systemLanguage, question }: AgentRequest): string {
  const language = languageOf(question);
  const spoken = language === 'en' ? [] : [language];
  return inLanguage(greetings, [chatLanguage, ...spoken, systemLanguage]);
}

async function* welcomed(welcome: string, request: AgentRequest, deps: MadeDeps): AsyncIterable<Piece> {
  yield* say(welcome, request, deps);
  yield openingQuestions(request, deps);
}

/** Explains that the agent has neither documents nor a model to answer with. */
function introduction(conduct: Conduct, request: AgentRequest): string {
  const welcome = welcomeOf(conduct, request) || `I am ${conduct.title}.`;
  const opening = [welcome, request.agent.description].filter((text) => text !== '').join(' ');
  const { withoutDocuments } = phrases(languageOf(request.question));
  return `${opening}\n\n${withoutDocuments}\n\n> ${request.question.replaceAll('\n', '\n> ')}`;
}

async function* shapedBy(conduct: Conduct, pieces: AsyncIterable<Piece>): AsyncIterable<Piece> {
  for await (const piece of pieces) {
    if (piece.type === 'suggestions' && !conduct.suggests) continue;
    if (piece.type === 'sources' && !conduct.showsReferences) continue;
    yield piece;
  }
}

/**
 * Holds back an answer until it is complete and checked for key words. Passes thoughts on immediately, because they
 * show progress.
 */
async function* reviewed(
  pieces: AsyncIterable<Piece>,
  filter: KeywordFilter,
  instead: AsyncIterable<Piece>,
): AsyncIterable<Piece> {
  const held: Piece[] = [];
  for await (const piece of pieces) {
    if (piece.type === 'thought') yield piece;
    else held.push(piece);
  }
  const text = held.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  if (holdsKeyword(text, filter)) yield* instead;
  else yield* held;
}
