import { randomBytes, randomUUID } from 'node:crypto';
import { sameText } from '../auth/tokens.ts';
import type { Clock } from '../clock.ts';
import type { SandboxAgent, SandboxCatalogue } from '../fixtures.ts';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import type { Conduct } from './conduct.ts';
import { createMadeAgents, type MadeAgent } from './store.ts';

/** An agent that can be asked: one of the fixtures, or one that was made through the API. */
export interface ListedAgent extends SandboxAgent {
  /** What people call it. */
  readonly title: string;
  /** Absent for the fixtures. */
  readonly made?: MadeAgent;
}

export interface NewAgent {
  /** Absent for an assistant, which gets one of its own. */
  readonly code?: string;
  readonly description: string;
  readonly conduct: Conduct;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Every agent by each of its names. */
export interface AgentDirectory {
  list(): readonly ListedAgent[];
  /** `expired` for a key that was good once (platform contract AUT-19). */
  withKey(key: string): ListedAgent | 'expired' | undefined;
  withUuid(uuid: string): ListedAgent | undefined;
  withCode(code: string): ListedAgent | undefined;
  add(agent: NewAgent): ListedAgent;
}

/** How long a key that comes with a new agent is good (platform contract AUT-18). */
const KEY_LIFE_MS = 365 * 86_400_000;

export function createAgentDirectory(
  database: Database,
  ids: Ids,
  clock: Clock,
  catalogue: SandboxCatalogue,
): AgentDirectory {
  const store = createMadeAgents(database);
  const fixtures = catalogue.agents.map((agent): ListedAgent => ({ ...agent, title: agent.name }));
  let made = store.list().map(listed);
  for (const agent of made) ids.startAbove(agent.made?.id ?? '0');
  const find = (fits: (agent: ListedAgent) => boolean) => fixtures.find(fits) ?? made.find(fits);
  return {
    list: () => [...fixtures, ...made],
    withKey: (key) => {
      const agent = find(({ apiKey }) => sameText(apiKey, key));
      const over = agent?.made !== undefined && agent.made.deadline <= clock.now();
      return over ? 'expired' : agent;
    },
    withUuid: (uuid) => find((agent) => agent.uuid === uuid),
    withCode: (code) => find((agent) => agent.expertCode === code),
    add: ({ code, ...agent }) => {
      const id = ids.next();
      const added: MadeAgent = {
        ...agent,
        id,
        code: code ?? `assistant-${id}`,
        uuid: randomUUID(),
        apiKey: `sandbox-key-${randomBytes(12).toString('hex')}`,
        deadline: clock.now() + KEY_LIFE_MS,
      };
      store.add(added);
      const shown = listed(added);
      made = [...made, shown];
      return shown;
    },
  };
}

function listed(made: MadeAgent): ListedAgent {
  const { code, uuid, apiKey, description, conduct } = made;
  return {
    name: code,
    title: conduct.title,
    description,
    apiKey,
    uuid,
    expertCode: code,
    seesImages: false,
    made,
  };
}
