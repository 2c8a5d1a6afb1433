/** Greets once where the app was added: what it is, whom one can ask, and how. */

import type { AdapterHost, AgentCard } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { neverCame } from '../api/connector.ts';
import type { TeamsConfig } from '../config.ts';
import { readConversation } from '../ids.ts';
import type { Posts } from './posts.ts';
import { words } from './words.ts';

/** As long as a conversation is remembered. */
const KEPT_MS = 400 * 24 * 60 * 60_000;
/** Agents that are named; the rest says `agents`. */
const NAMED = 10;
/** Suggestions that Teams shows: Microsoft's page on prompt suggestions, "up to three". */
const SUGGESTED = 3;

export interface GreetingDeps {
  readonly config: Pick<TeamsConfig, 'name' | 'prompts'>;
  readonly host: Pick<AdapterHost, 'agents' | 'state'>;
  readonly posts: Pick<Posts, 'send'>;
}

/** Teams tells of one installation several times: of the team, of its members, of each upgrade. */
export async function greet(place: TeamsPlace, deps: GreetingDeps): Promise<void> {
  const { posts, host } = deps;
  const { state } = host;
  const key = `greeted ${place.tenant} ${readConversation(place.conversation).room}`;
  if ((await state.get(key)) === true) return;
  await state.set(key, true, KEPT_MS);
  const sent = await posts.send(place, greetingOf(place, deps));
  // What surely did not arrive is said the next time.
  if (neverCame(sent)) await state.delete(key);
}

function greetingOf({ kind }: TeamsPlace, { config, host }: GreetingDeps): object {
  const agents = host.agents();
  const isDirect = kind === 'direct';
  const text = [
    isDirect ? words.hello(config.name) : words.helloThere(config.name),
    ...agentLines(agents),
    words.help,
  ].join('\n');
  const suggested = isDirect ? suggestions(config.prompts, agents) : [];
  return {
    ...{ type: 'message', text, textFormat: 'plain' },
    ...(suggested.length > 0 && { suggestedActions: { actions: suggested } }),
  };
}

function agentLines(agents: readonly AgentCard[]): readonly string[] {
  const [first] = agents;
  if (first === undefined || agents.length < 2) return [];
  const lines = agents.slice(0, NAMED).map(({ name, description }) => words.agentLine(name, description));
  return [words.agents, ...lines, words.howToChoose(first.name)];
}

/** Pressing one writes its message in the person's name. */
function suggestions(prompts: TeamsConfig['prompts'], agents: readonly AgentCard[]): readonly object[] {
  const offered =
    prompts.length > 0
      ? prompts
      : agents.map(({ name }) => ({ title: words.promptTitle(name), message: words.promptMessage(name) }));
  return offered.slice(0, SUGGESTED).map(({ title, message: value }) => ({ type: 'imBack', title, value }));
}
