import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { SandboxAgent, SandboxCatalogue } from '../fixtures.ts';
import { sameText } from '../http/operation.ts';
import type { Options } from '../options.ts';
import { type Database, numberOf, type Row, textOf } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import type { Conduct } from './conduct.ts';

/** An agent that can be asked: one of the fixtures, or one that was made through the API. */
export interface ListedAgent extends SandboxAgent {
  /** What people call it. */
  readonly title: string;
  readonly key: AgentKey;
  /** Absent for the fixtures. */
  readonly made?: MadeAgent;
}

/** What is known of an agent's key beside its value (platform contract AUT-18). */
interface AgentKey {
  /** The key channel that holds it. */
  readonly channel: string;
  readonly description: string;
  readonly name: string;
  /** Milliseconds since the epoch; undefined for a key that does not end. */
  readonly deadline: number | undefined;
}

interface NewAgent {
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

interface DirectoryDeps {
  readonly database: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly catalogue: SandboxCatalogue;
  /** Deadlines that count instead of the keys' own. */
  readonly options: Pick<Options, 'keyDeadlines'>;
}

export function createAgentDirectory(parts: DirectoryDeps): AgentDirectory {
  const { ids, clock, catalogue } = parts;
  const store = createMadeAgents(parts.database);
  const fixtures = catalogue.agents.map(
    (agent): ListedAgent => ({ ...agent, title: agent.name, key: { ...catalogue.key, deadline: undefined } }),
  );
  let made = store.list().map(listed);
  for (const agent of made) ids.startAbove(agent.made?.id ?? '0');
  const all = () => [...fixtures, ...made].map((agent) => withDeadline(agent, parts.options.keyDeadlines));
  const find = (fits: (agent: ListedAgent) => boolean) => all().find(fits);
  return {
    list: all,
    withKey: (key) => {
      const agent = find(({ apiKey }) => sameText(apiKey, key));
      return (agent?.key.deadline ?? Infinity) <= clock.now() ? 'expired' : agent;
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

function withDeadline(agent: ListedAgent, deadlines: Options['keyDeadlines']): ListedAgent {
  if (!Object.hasOwn(deadlines, agent.expertCode)) return agent;
  const given = deadlines[agent.expertCode] ?? undefined;
  return { ...agent, key: { ...agent.key, deadline: given === undefined ? undefined : Date.parse(given) } };
}

function listed(made: MadeAgent): ListedAgent {
  const { code, uuid, apiKey, description, conduct, deadline } = made;
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

/** An agent that was made through the API. */
interface MadeAgent {
  /** The id that its creation returned, 19 digits. */
  readonly id: string;
  readonly uuid: string;
  /** Its code in the Open API. */
  readonly code: string;
  readonly apiKey: string;
  /** When its key ends, milliseconds since the epoch (platform contract AUT-18). */
  readonly deadline: number;
  readonly description: string;
  readonly conduct: Conduct;
  /** The record as it was sent. */
  readonly record: Readonly<Record<string, unknown>>;
}

interface MadeAgents {
  list(): readonly MadeAgent[];
  add(agent: MadeAgent): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS made_agents (
  id TEXT PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE, apiKey TEXT NOT NULL UNIQUE,
  deadline INTEGER NOT NULL, description TEXT NOT NULL, conduct TEXT NOT NULL, record TEXT NOT NULL);
`;

function createMadeAgents(database: Database): MadeAgents {
  database.exec(SCHEMA);
  const all = database.prepare('SELECT * FROM made_agents ORDER BY id');
  const insert = database.prepare('INSERT INTO made_agents VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  return {
    list: () => all.all().map(readAgent),
    add: ({ id, uuid, code, apiKey, deadline, description, conduct, record }) =>
      void insert.run(
        id,
        uuid,
        code,
        apiKey,
        deadline,
        description,
        JSON.stringify(conduct),
        JSON.stringify(record),
      ),
  };
}

function readAgent(row: Row): MadeAgent {
  return {
    id: textOf(row, 'id'),
    uuid: textOf(row, 'uuid'),
    code: textOf(row, 'code'),
    apiKey: textOf(row, 'apiKey'),
    deadline: numberOf(row, 'deadline'),
    description: textOf(row, 'description'),
    // A conduct of an earlier version has no greetings.
    conduct: { greetings: [], ...(JSON.parse(textOf(row, 'conduct')) as Omit<Conduct, 'greetings'>) },
    record: JSON.parse(textOf(row, 'record')) as MadeAgent['record'],
  };
}
