/** What people say to the bridge itself: the words, and what each answers. */

import type { Agent } from './agent.ts';
import type { Person } from './message.ts';
import type { Source } from './reply.ts';
import { type Directory, findAgent } from './routing.ts';
import { words } from './words.ts';

export type Command =
  | { readonly name: 'help' | 'new' | 'stop' | 'agents' | 'whoami' | 'sources' }
  | { readonly name: 'use'; readonly agent: string };

/** The bare word, with or without a slash, and nothing else in the message. */
const BARE = /^\/?(help|new|stop|agents|whoami|sources)$/i;
const USE = /^\/?use\s+@?(\S+)$/i;

export function parseCommand(text: string): Command | undefined {
  const said = text.trim();
  const agent = USE.exec(said)?.[1];
  if (agent !== undefined) return { name: 'use', agent };
  const name = BARE.exec(said)?.[1]?.toLowerCase();
  return name === undefined ? undefined : { name: name as Exclude<Command['name'], 'use'> };
}

/** What a command may look at and change; one thread, one person. */
export interface CommandDesk {
  readonly directory: Directory;
  readonly person: Person;
  /** The agent that the thread asks now. */
  readonly agent: Agent;
  readonly account?: string | undefined;
  lastSources(): Promise<readonly Source[]>;
  use(agent: Agent): Promise<void>;
  forget(): Promise<void>;
}

export interface CommandAnswer {
  readonly text: string;
  readonly sources?: readonly Source[];
}

/** Carries the command out. `stop` was carried out at intake: as a turn of its own it found nothing running. */
export async function runCommand(command: Command, desk: CommandDesk): Promise<CommandAnswer> {
  switch (command.name) {
    case 'help':
      return { text: help(desk) };
    case 'agents':
      return { text: listAgents(desk) };
    case 'whoami':
      return { text: whoami(desk) };
    case 'new':
      await desk.forget();
      return { text: words.newConversation(desk.agent.name) };
    case 'use':
      return { text: await use(command.agent, desk) };
    case 'sources':
      return showSources(await desk.lastSources());
    case 'stop':
      return { text: words.nothingRuns };
  }
}

function help({ agent }: CommandDesk): string {
  return [
    `Ask **${agent.name}** anything in this thread; follow-up questions know what was said before.`,
    '',
    '| say | to |',
    '| --- | --- |',
    '| `agents` | see who can be asked |',
    '| `use <agent>` | ask another agent in this thread |',
    '| `new` | begin a new conversation |',
    '| `stop` | end the running answer |',
    '| `sources` | see the last answer’s sources again |',
    '| `whoami` | see as whom you ask |',
  ].join('\n');
}

function listAgents({ directory, agent }: CommandDesk): string {
  const lines = [...directory.agents.values()].map((each) => {
    const eyes = each.gateway.sees.images ? ' Sees images.' : '';
    const here = each.name === agent.name ? ' *(this thread)*' : '';
    return `- **${each.name}**${here}: ${each.description}${eyes}`;
  });
  return [...lines, '', 'Say `use <agent>` to ask another one in this thread.'].join('\n');
}

function whoami({ person, account, agent }: CommandDesk): string {
  const platform =
    account === undefined ? `with the agent’s own account` : `as the platform account **${account}**`;
  return `You are **${person.name}** (\`${person.id}\`). **${agent.name}** answers you ${platform}.`;
}

async function use(name: string, desk: CommandDesk): Promise<string> {
  const agent = findAgent(desk.directory, name);
  if (agent === undefined) return words.unknownAgent(name, [...desk.directory.agents.keys()]);
  await desk.use(agent);
  return words.nowAsking(agent.name);
}

function showSources(sources: readonly Source[]): CommandAnswer {
  if (sources.length === 0) return { text: words.noSources };
  return { text: words.lastSources(sources.length), sources };
}
