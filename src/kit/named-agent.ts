import { nearName } from '../core/agents/routing.ts';

interface Named {
  /** As written where no agent has that name: the bridge then says which agents there are. */
  readonly agent?: string;
  readonly text: string;
}

const WITH_COLON = /^(@?)([\w.-]{1,40}):\s*/;
const MENTION = /^@([\w.-]{1,40})(?:,\s*|\s+)(?=\S)/;

/**
 * The agent that words begin with, as in `agent: question` and `@agent question`, and the words after it.
 *
 * A name that no agent has counts only where an agent was meant: written `@name:`, or a misspelling of an agent's name.
 * So `note: the meeting is at 3` stays a question. `people` are the names that an `@` may mean instead.
 */
export function readAgent(words: string, agents: readonly string[], people: readonly string[] = []): Named {
  if (beginsWithAny(words, people)) return { text: words };
  const [head = '', at, name = ''] = WITH_COLON.exec(words) ?? [];
  const [opening, mentioned = ''] = head === '' ? (MENTION.exec(words) ?? []) : [head, name];
  const agent = agentOf(mentioned, agents) ?? (at === '@' ? mentioned : undefined);
  return agent === undefined || opening === undefined
    ? { text: words }
    : { agent, text: words.slice(opening.length) };
}

/** The agent of that name in any case, or the name itself if it is a misspelling of one. */
function agentOf(name: string, agents: readonly string[]): string | undefined {
  const known = agents.find((each) => each.toLowerCase() === name.toLowerCase());
  return known ?? (nearName(name, agents) && name);
}

function beginsWithAny(words: string, people: readonly string[]): boolean {
  const said = words.toLowerCase();
  return people.some((person) => said.startsWith(`@${person.toLowerCase()}`));
}
