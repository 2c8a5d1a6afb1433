import { type Database, numberOf, type Row, textOf } from '../store/database.ts';
import type { Conduct } from './conduct.ts';

/** An agent that was made through the API. */
export interface MadeAgent {
  /** The id that its creation told, 19 digits. */
  readonly id: string;
  readonly uuid: string;
  /** Under which the Open API asks it. */
  readonly code: string;
  readonly apiKey: string;
  /** When its key ends, milliseconds since the epoch (platform contract AUT-18). */
  readonly deadline: number;
  readonly description: string;
  readonly conduct: Conduct;
  /** The record as it was sent. */
  readonly record: Readonly<Record<string, unknown>>;
}

export interface MadeAgents {
  list(): readonly MadeAgent[];
  add(agent: MadeAgent): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS made_agents (
  id TEXT PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE, apiKey TEXT NOT NULL UNIQUE,
  deadline INTEGER NOT NULL, description TEXT NOT NULL, conduct TEXT NOT NULL, record TEXT NOT NULL);
`;

export function createMadeAgents(database: Database): MadeAgents {
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
