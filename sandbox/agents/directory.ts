import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type SandboxAgent, sandboxCatalogue } from '../fixtures.ts';
import { sameText } from '../http/operation.ts';
import type { Options } from '../options.ts';
import type { Database } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable, json } from '../store/table.ts';
import type { Conduct } from './conduct.ts';

/** An agent that can be asked: one that ships with the sandbox, or one created through the API. */
export interface ListedAgent extends SandboxAgent {
  /** Display name. */
  readonly title: string;
  readonly key: AgentKey;
  /** Absent for agents that ship with the sandbox. */
  readonly made?: MadeAgent;
}

/** Data about an agent's API key, without the key itself (platform contract AUT-18: deadline of a key). */
interface AgentKey {
  /** Name of the channel in which the platform's console lists the key. */
  readonly channel: string;
  readonly description: string;
  readonly name: string;
  /** When the key expires, in milliseconds since the epoch; undefined if it does not expire. */
  readonly deadline: number | undefined;
}

/** A new agent. An assistant of the lite interface has no code, so the directory issues one. */
type NewAgent = Pick<MadeAgent, 'description' | 'conduct' | 'record'> & { readonly code?: string };

/** Time for which the key of a new agent is valid, in milliseconds (platform contract AUT-18: deadline of a key). */
const KEY_LIFE_MS = 365 * 86_400_000;

export type AgentDirectory = ReturnType<typeof createAgentDirectory>;

/**
 * Creates a directory that finds agents by any of their identifiers. A deadline in the option `keyDeadlines` replaces
 * the deadline of the agent's key.
 */
export function createAgentDirectory(database: Database, ids: Ids, clock: Clock, options: Options) {
  database.exec(SCHEMA);
  const table = createTable(database, ids, madeAgentRow, { table: 'made_agents' });
  const fixtures = sandboxCatalogue.agents.map(
    (agent): ListedAgent => ({
      ...agent,
      title: agent.name,
      key: { ...sandboxCatalogue.key, deadline: undefined },
    }),
  );
  let made = table.list().map(listed);
  const all = () => [...fixtures, ...made].map((agent) => withDeadline(agent, options.keyDeadlines));
  const find = (fits: (agent: ListedAgent) => boolean) => all().find(fits);
  return {
    /** Returns all agents as the operator sees them: with the deadline in ISO 8601, which is empty if there is none. */
    list: () =>
      all().map(({ made: _, key: { deadline, ...key }, ...agent }) => ({
        ...agent,
        key,
        deadline: deadline === undefined ? '' : new Date(deadline).toISOString(),
      })),
    /**
     * Returns the agent with this key, or `expired` if the key's deadline is over (platform contract AUT-19: expired
     * keys).
     */
    withKey: (key: string): ListedAgent | 'expired' | undefined => {
      const agent = find(({ apiKey }) => sameText(apiKey, key));
      return (agent?.key.deadline ?? Infinity) <= clock.now() ? 'expired' : agent;
    },
    withUuid: (uuid: string) => find((agent) => agent.uuid === uuid),
    withCode: (code: string) => find((agent) => agent.expertCode === code),
    add: ({ code, ...agent }: NewAgent): ListedAgent => {
      const id = ids.next();
      const added: MadeAgent = {
        ...agent,
        id,
        code: code ?? `assistant-${id}`,
        uuid: randomUUID(),
        apiKey: `sandbox-key-${randomBytes(12).toString('hex')}`,
        deadline: clock.now() + KEY_LIFE_MS,
      };
      table.save(added);
      const view = listed(added);
      made = [...made, view];
      return view;
    },
  };
}

function withDeadline(agent: ListedAgent, deadlines: Options['keyDeadlines']): ListedAgent {
  if (!Object.hasOwn(deadlines, agent.expertCode)) return agent;
  const given = deadlines[agent.expertCode] ?? undefined;
  return { ...agent, key: { ...agent.key, deadline: given === undefined ? undefined : Date.parse(given) } };
}

function listed(stored: MadeAgent): ListedAgent {
  // Agents stored by an earlier version have no greetings.
  const conduct = { ...stored.conduct, greetings: stored.conduct.greetings ?? [] };
  const made = { ...stored, conduct };
  const { code, uuid, apiKey, description, deadline } = made;
  return {
    name: code,
    title: conduct.title,
    description,
    apiKey,
    uuid,
    expertCode: code,
    seesImages: false,
    leavesOut: [],
    key: { channel: 'API', description: 'Made with the agent', name: 'First key', deadline },
    made,
  };
}

/** Schema of a stored agent that was created through the API. */
const madeAgentRow = z.object({
  /** Id of 19 digits, returned when the agent was created. */
  id: z.string(),
  uuid: z.string(),
  /** Code of the agent in the Open API. */
  code: z.string(),
  apiKey: z.string(),
  /** When the key expires, in milliseconds since the epoch (platform contract AUT-18: deadline of a key). */
  deadline: z.number(),
  description: z.string(),
  conduct: json<Conduct>(),
  /** The record exactly as the caller sent it. */
  record: json<Readonly<Record<string, unknown>>>(),
});

type MadeAgent = Readonly<z.output<typeof madeAgentRow>>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS made_agents (
  id TEXT PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE, apiKey TEXT NOT NULL UNIQUE,
  deadline INTEGER NOT NULL, description TEXT NOT NULL, conduct TEXT NOT NULL, record TEXT NOT NULL);
`;
