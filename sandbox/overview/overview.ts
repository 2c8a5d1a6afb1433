import type { AgentDirectory } from '../agents/directory.ts';
import type { Clients } from '../auth/clients.ts';
import type { SandboxCatalogue } from '../fixtures.ts';
import type { People } from '../people/people.ts';
import type { Documents } from '../store/documents.ts';
import type { Sessions } from '../store/sessions.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

/** What an operator would look up in a real deployment (platform contract LOC-5). Plain data; times are ISO 8601. */
export interface Overview {
  readonly agents: readonly OverviewAgent[];
  readonly clients: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    /** Only of those that ship with the sandbox; of others the secret was told once. */
    readonly secret: string;
  }[];
  readonly users: readonly {
    readonly id: string;
    readonly userName: string;
    readonly realName: string;
    readonly roles: readonly string[];
    readonly enabled: boolean;
  }[];
  readonly organizations: readonly { readonly id: string; readonly code: string; readonly name: string }[];
  readonly workspaces: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly files: number;
  }[];
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly workspace: string;
    readonly state: string;
    readonly reason: string;
    readonly chunks: number;
  }[];
  readonly chats: readonly {
    readonly asked: string;
    readonly agent: string;
    readonly account: string;
    readonly question: string;
    readonly answer: string;
  }[];
}

interface OverviewAgent {
  readonly title: string;
  readonly description: string;
  readonly expertCode: string;
  readonly uuid: string;
  readonly apiKey: string;
  /** The key channel that holds the key, and what the key is called. */
  readonly key: { readonly channel: string; readonly description: string; readonly name: string };
  /** Empty for keys without a deadline. */
  readonly deadline: string;
}

interface OverviewDeps {
  readonly directory: AgentDirectory;
  readonly clients: Clients;
  readonly people: People;
  readonly workspaces: Workspaces;
  readonly documents: Documents;
  readonly sessions: Sessions;
  readonly catalogue: SandboxCatalogue;
}

/** Rows of each long list. */
const ROWS = 200;
const CHATS = 20;
/** Characters of a question or an answer. */
const EXCERPT = 200;

export function overviewOf(parts: OverviewDeps): Overview {
  const { directory, documents, sessions, people } = parts;
  const all = documents.list();
  const workspaces = parts.workspaces.list();
  const nameOf = (id: string) => workspaces.find((workspace) => workspace.id === id)?.name ?? '';
  return {
    agents: directory.list().map(({ title, description, expertCode, uuid, apiKey, key }) => ({
      title,
      description,
      expertCode,
      uuid,
      apiKey,
      key: { channel: key.channel, description: key.description, name: key.name },
      deadline: key.deadline === undefined ? '' : new Date(key.deadline).toISOString(),
    })),
    clients: clientsOf(parts),
    users: people.users
      .all()
      .slice(0, ROWS)
      .map((user) => ({
        id: user.id,
        userName: user.userName,
        realName: user.profile.realName,
        roles: people.roles.of(user.id).map(({ name }) => name),
        enabled: user.enable && user.active,
      })),
    organizations: people.organizations
      .all()
      .slice(0, ROWS)
      .map(({ id, code, name }) => ({ id, code, name })),
    workspaces: workspaces.map(({ id, name, description }) => ({
      id,
      name,
      description,
      files: all.filter((document) => document.workspace === id).length,
    })),
    files: all.slice(-ROWS).map(({ id, name, workspace, state, reason }) => ({
      id,
      name,
      workspace: nameOf(workspace),
      state,
      reason,
      chunks: documents.chunksOf(id).length,
    })),
    chats: sessions.recent(CHATS).map(({ agent, account, question, answer, asked }) => ({
      asked: new Date(asked).toISOString(),
      agent,
      account: people.users.withId(account)?.userName ?? 'api-key',
      question: excerpt(question),
      answer: excerpt(answer),
    })),
  };
}

function clientsOf({ clients, catalogue }: OverviewDeps): Overview['clients'] {
  const { liteClient, openClient } = catalogue;
  const lite = clients.list(1, ROWS).items.map(({ id, name }) => ({
    id,
    name,
    kind: 'lite',
    secret: id === liteClient.clientId ? liteClient.clientSecret : '',
  }));
  const open = {
    id: openClient.client,
    name: 'Embedded bridge',
    kind: 'Open API',
    secret: openClient.secret,
  };
  return [...lite, open];
}

const excerpt = (text: string): string => {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length > EXCERPT ? `${plain.slice(0, EXCERPT).toWellFormed()}…` : plain;
};
