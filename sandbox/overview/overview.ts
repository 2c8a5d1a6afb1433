import type { AgentDirectory } from '../agents/directory.ts';
import type { Clients } from '../auth/clients.ts';
import { sandboxCatalogue } from '../fixtures.ts';
import { control, type Route } from '../http/operation.ts';
import { jsonReply } from '../http/reply.ts';
import { entities, page } from '../media/routes.ts';
import type { People } from '../people/people.ts';
import type { Documents } from '../store/documents.ts';
import type { Sessions } from '../store/sessions.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

interface OverviewDeps {
  readonly directory: AgentDirectory;
  readonly clients: Clients;
  readonly people: People;
  readonly workspaces: Workspaces;
  readonly documents: Documents;
  readonly sessions: Sessions;
}

/** Maximum rows of the long lists, and maximum chats. */
const ROWS = 200;
const CHATS = 20;
/** Maximum characters shown of a question or an answer. */
const EXCERPT = 200;

type Overview = ReturnType<typeof overviewOf>;

/** Routes of the operator's page and of its data. They show keys, so they answer only to the loopback address. */
export const overviewRoutes = (deps: OverviewDeps): readonly Route[] => [
  control('GET /', () => {
    const { headers, ...reply } = page('Sandbox', overviewHtml(overviewOf(deps)));
    return { ...reply, headers: { ...headers, 'cache-control': 'no-store', 'x-frame-options': 'DENY' } };
  }),
  control('GET /__sandbox/overview', () => jsonReply(overviewOf(deps))),
];

/**
 * Returns what an operator would look up in a real deployment (platform contract LOC-5: operator's page). Plain data;
 * times are in ISO 8601.
 */
function overviewOf(deps: OverviewDeps) {
  const { directory, documents, sessions, people } = deps;
  const all = documents.list();
  const workspaces = deps.workspaces.list();
  const nameOf = (id: string) => workspaces.find((workspace) => workspace.id === id)?.name ?? '';
  return {
    agents: directory.list().map(({ title, description, expertCode, uuid, apiKey, key: stored }) => {
      const { deadline: end, ...key } = stored;
      // For a key without a deadline, the page shows an empty text.
      const deadline = end === undefined ? '' : new Date(end).toISOString();
      return { title, description, expertCode, uuid, apiKey, key, deadline };
    }),
    clients: clientsOf(deps),
    users: people.users
      .list()
      .slice(0, ROWS)
      .map((user) => ({
        id: user.id,
        userName: user.userName,
        realName: user.profile.realName,
        roles: people.roles.of(user.id).map(({ name }) => name),
        enabled: user.enable && user.active,
      })),
    organizations: people.organizations
      .list()
      .slice(0, ROWS)
      .map(({ id, code, name }) => ({ id, code, name })),
    workspaces: workspaces.map(({ id, name, description }) => {
      const files = all.filter((document) => document.workspace === id).length;
      return { id, name, description, files };
    }),
    files: all.slice(-ROWS).map(({ id, name, workspace, state, reason }) => {
      const chunks = documents.chunksOf(id).length;
      return { id, name, workspace: nameOf(workspace), state, reason, chunks };
    }),
    chats: sessions.recent(CHATS).map(({ agent, account, question, answer, asked }) => ({
      asked: new Date(asked).toISOString(),
      agent,
      account: people.users.withId(account)?.userName ?? 'api-key',
      question: excerpt(question),
      answer: excerpt(answer),
    })),
  };
}

/**
 * Returns the clients. Shows only the secrets that ship with the sandbox; any other secret was sent once, at the
 * client's creation.
 */
function clientsOf({ clients }: OverviewDeps) {
  const { liteClient, openClient } = sandboxCatalogue;
  const lite = clients.list(1, ROWS).items.map(({ id, name }) => ({
    id,
    name,
    kind: 'lite',
    secret: id === liteClient.clientId ? liteClient.clientSecret : '',
  }));
  const { client: id, secret } = openClient;
  return [...lite, { id, name: 'Embedded bridge', kind: 'Open API', secret }];
}

const excerpt = (text: string): string => {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length > EXCERPT ? `${plain.slice(0, EXCERPT).toWellFormed()}…` : plain;
};

const STYLE = `main{max-width:76rem;overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.85rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-top:1px solid #8884}nav a{margin-right:1rem}`;

/** Returns one table for each list, whose columns are the members of the data (platform contract LOC-5). */
function overviewHtml(overview: Overview): string {
  const lists = Object.entries(overview);
  const links = lists.map(([name, rows]) => `<a href="#${name}">${titleOf(name)} (${rows.length})</a>`);
  return `<style>${STYLE}</style>
<p>The local agent platform that ships with Parley. Everything here is for trying out: the keys are no secrets.</p>
<nav>${links.join(' ')}</nav>${lists.map(([name, rows]) => section(name, rows)).join('')}`;
}

const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function section(name: string, rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${columns.map((column) => `<td>${entities(cellOf(row[column]))}</td>`).join('')}</tr>`,
  );
  return `<h2 id="${name}">${titleOf(name)}</h2><table><tr>${head}</tr>${body.join('\n')}</table>`;
}

const cellOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? Object.values(value).join(', ') : String(value);
