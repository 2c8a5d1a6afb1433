export interface Named {
  readonly agent?: string;
  readonly text: string;
}

/** `agent: question` names an agent, where there is one of that name; in any case the words stay otherwise. */
export function readAgent(words: string, agents: readonly string[]): Named {
  const found = /^@?([\w.-]{1,40}):\s*/.exec(words);
  const agent = agents.find((name) => name.toLowerCase() === found?.[1]?.toLowerCase());
  return agent === undefined ? { text: words } : { agent, text: words.slice(found?.[0].length) };
}
