import { createAgents } from './agents/agents.ts';
import { type AgentDirectory, createAgentDirectory } from './agents/directory.ts';
import type { ModelSettings } from './agents/model.ts';
import { createClients } from './auth/clients.ts';
import { createGatekeeper } from './auth/identity.ts';
import { authRoutes } from './auth/routes.ts';
import { createTokens } from './auth/tokens.ts';
import { assistantRoutes } from './bots/assistant-routes.ts';
import { botRoutes } from './bots/bot-routes.ts';
import { liteChatRoutes } from './chat/lite-routes.ts';
import { openChatRoutes } from './chat/open-routes.ts';
import { type Clock, shiftedClock } from './clock.ts';
import { createFaults } from './faults/faults.ts';
import { controlRoutes } from './faults/routes.ts';
import { sandboxCatalogue } from './fixtures.ts';
import { createCallLog } from './http/log.ts';
import { control, type Route } from './http/operation.ts';
import { jsonReply } from './http/reply.ts';
import { createLinks, mediaRoutes } from './media/routes.ts';
import type { Options } from './options.ts';
import { createPeople, peopleRoutes } from './people/people.ts';
import type { Database } from './store/database.ts';
import { createDocuments } from './store/documents.ts';
import { createIds } from './store/ids.ts';
import { createImages } from './store/images.ts';
import { createSessions } from './store/sessions.ts';
import { createWorkspaceDeps } from './workspaces/deps.ts';
import { retrievalRoutes } from './workspaces/retrieval-routes.ts';
import { preparationOf } from './workspaces/settings.ts';
import { knowledgeRoutes } from './workspaces/workspace-routes.ts';
import type { Workspaces } from './workspaces/workspaces.ts';

/** Maximum clients, files and chats that the record of the platform's contents lists. */
const MAX_RECORDS = 200;

interface PlatformDeps {
  readonly database: Database;
  readonly options: Options;
  readonly clock: Clock;
  readonly model: ModelSettings | undefined;
  readonly indexing: { readonly done: boolean; run(): Promise<void> };
  /** Aborted when the sandbox closes. */
  readonly signal: AbortSignal;
}

/**
 * Creates the platform without an HTTP server: all services, its routes, and what the server and the indexer need. A
 * fault may shift the clock that the services read, but never changes how long they wait.
 */
export function createPlatform(deps: PlatformDeps) {
  const { database, options, indexing } = deps;
  const revokeTokens = () => tokens.revokeAll();
  const faults = createFaults({ clock: deps.clock, options, revokeTokens, routes: () => routes });
  const clock = shiftedClock(deps.clock, () => faults.clockOffset());
  const tokens = createTokens(database, clock);
  const stores = createStores(database, clock);
  const { ids, images, documents, sessions, people, clients } = stores;
  const { accounts } = people;
  const directory = createAgentDirectory(database, ids, clock, options);
  const gatekeeper = createGatekeeper(directory, accounts, tokens, () => options.adminToken);
  const common = { accounts, clock, options, gatekeeper };
  const workspaceDeps = createWorkspaceDeps({
    ...common,
    database,
    ids,
    documents,
    images,
    warn: (sentence) => void process.stderr.write(`sandbox: ${sentence}\n`),
    signal: deps.signal,
  });
  const { workspaces } = workspaceDeps;
  const log = createCallLog(clock, () => options.inspect);
  // Requests name workspaces by name or by id (platform contract INC-18).
  const workspaceIds = (names: readonly string[]) => names.flatMap((name) => workspaces.find(name)?.id ?? []);
  // Agents pause in real time, so they get the real clock and not the one that faults shift.
  const pace = { clock: deps.clock, paceMs: () => options.paceMs };
  const pairs = workspaceDeps.pairs.list;
  const ready = () => indexing.done;
  const programOf = createAgents({ ...pace, images, documents, workspaceIds, pairs, ready }, deps.model);
  const chat = { ...common, sessions, images, faults, directory, programOf };
  const reindex = () => indexing.run().then(() => documents.list());
  const routes: readonly Route[] = [
    ...authRoutes({ ...common, tokens, clients }),
    ...liteChatRoutes(chat),
    ...openChatRoutes(chat),
    ...mediaRoutes({ ...common, images, documents, links: createLinks(tokens, clock) }),
    ...peopleRoutes({ ...common, database, ...people }),
    ...botRoutes(gatekeeper, directory, workspaces),
    ...assistantRoutes(gatekeeper, directory, workspaces),
    ...knowledgeRoutes(workspaceDeps),
    ...retrievalRoutes(workspaceDeps),
    ...controlRoutes(faults, options, log),
    control('GET /', () => jsonReply(recordsOf(stores, directory, workspaces))),
    control('POST /__sandbox/reindex', async () => jsonReply({ documents: await reindex() })),
  ];
  /** Returns how the workspace's documents are prepared for search; undefined if the workspace does not exist. */
  const preparation = (id: string) => {
    const workspace = workspaces.withId(id);
    return workspace && preparationOf(workspace.settings);
  };
  return { routes, faults, log, clock, documents, images, preparation, idle: workspaceDeps.indexing.idle };
}

function createStores(database: Database, clock: Clock) {
  const ids = createIds(database, clock);
  const images = createImages(database);
  return {
    ids,
    images,
    documents: createDocuments(database, ids, images),
    sessions: createSessions(database, ids, clock),
    people: createPeople(database, ids, clock),
    clients: createClients(database, clock),
  };
}

/** Returns what an operator would look up in a real deployment (platform contract LOC-5: operator's view). */
function recordsOf(
  { clients, people, documents, sessions }: ReturnType<typeof createStores>,
  agents: AgentDirectory,
  workspaces: Workspaces,
) {
  const { users, roles, organizations } = people;
  return {
    agents: agents.list(),
    clients: [...clients.list(1, MAX_RECORDS).items, sandboxCatalogue.openClient],
    users: users.list().map(({ password: _, ...user }) => ({ ...user, roles: roles.of(user.id) })),
    organizations: organizations.list(),
    workspaces: workspaces.list(),
    files: documents.list().slice(-MAX_RECORDS),
    chats: sessions.recent(MAX_RECORDS),
  };
}
