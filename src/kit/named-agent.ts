import { nearName } from '../core/agents/routing.ts';

interface Named {
  /**
   * The agent's name, or the written name if no such agent exists; the bridge then replies with a list of its agents.
   */
  readonly agent?: string;
  readonly text: string;
}

const WITH_COLON = /^(@?)([\w.-]{1,40}):\s*/;
const MENTION = /^@([\w.-]{1,40})(?:,\s*|\s+)(?=\S)/;

/**
 * Splits a text such as `agent: question` or `@agent question` into agent and question. An unknown name counts as an
 * agent only if it is written `@name:` or misspells an agent's name, so `note: the meeting is at 3` stays a question.
 * `people` are names of people who may be mentioned after an `@`; such names never count as agents.
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

/**
 * Returns the agent with this name, ignoring case. Returns a misspelled agent's name unchanged, so that the bridge
 * suggests the right name. Returns undefined for any other name.
 */
function agentOf(name: string, agents: readonly string[]): string | undefined {
  const known = agents.find((each) => each.toLowerCase() === name.toLowerCase());
  return known ?? (nearName(name, agents) && name);
}

function beginsWithAny(words: string, people: readonly string[]): boolean {
  const text = words.toLowerCase();
  return people.some((person) => text.startsWith(`@${person.toLowerCase()}`));
}
