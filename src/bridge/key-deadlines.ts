import type { Config } from '../config/schema.ts';
import type { Finding } from '../core/agents/agent.ts';

const DAY_MS = 86_400_000;
/** How long before its deadline a key is worth a warning, in days (platform contract AUT-18). */
const WARNING_DAYS = 14;

/** What is to be said of the API keys whose deadline the configuration tells; nothing of the others. */
export function keyDeadlines({ agents }: Pick<Config, 'agents'>, now: number): readonly Finding[] {
  return Object.entries(agents).flatMap(([name, { credential }]) =>
    credential.kind === 'api-key' && credential.expiresAt !== undefined
      ? [findingOf(name, credential.expiresAt, now)]
      : [],
  );
}

function findingOf(agent: string, expiresAt: string, now: number): Finding {
  const what = `agent ${agent}, API key`;
  const days = Math.floor((Date.parse(expiresAt) - now) / DAY_MS);
  if (days < 0) {
    return { what, ok: false, detail: `its deadline ${expiresAt} has passed. Create a new key and set it.` };
  }
  if (days > WARNING_DAYS) return { what, ok: true, detail: `good until ${expiresAt}` };
  return { what, ok: false, detail: `ends in ${days} days, at ${expiresAt}. Create a new key and set it.` };
}
