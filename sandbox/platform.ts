import { createAgents } from './agents/agents.ts';
import { type AgentDirectory, createAgentDirectory } from './agents/directory.ts';
import type { KnowledgeDeps } from './agents/knowledge.ts';
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
import { createFaultRules, createFaults } from './faults/faults.ts';
import { controlRoutes } from './faults/routes.ts';
import { sandboxCatalogue } from './fixtures.ts';
import { createCallLog } from './http/log.ts';
import { control, type Route } from './http/operation.ts';
import { jsonReply } from './http/reply.ts';
import { type IndexProgress, indexSources, type KnowledgeSource } from './knowledge/folder.ts';
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
  /** Returns the folders and files from which agents answer. */
  readonly sources: () => readonly KnowledgeSource[];
  readonly onIndexing: (progress: IndexProgress) => void;
  /** Aborted when the sandbox closes. */
  readonly signal: AbortSignal;
}

/**
 * Creates the platform without an HTTP server: all services, its routes, and what the server needs. A fault may shift
 * the clock that the services read, but never changes how long they wait.
 */
export function createPlatform(deps: PlatformDeps) {
  const { database, options, signal } = deps;
  const faultRules = createFaultRules();
  const clock = shiftedClock(deps.clock, faultRules.clockOffset);
  const tokens = createTokens(database, clock);
  const faults = createFaults(faultRules, { clock: deps.clock, revokeTokens: tokens.revokeAll }, options);
  const stores = createStores(database, clock);
  const { ids, images, documents, sessions, people, clients } = stores;
  const { accounts, users, roles, organizations } = people;
  const directory = createAgentDirectory(database, ids, clock, options);
  const gatekeeper = createGatekeeper(directory, accounts, tokens, () => options.adminToken);
  const workspaceDeps = createWorkspaceDeps({
    accounts,
    clock,
    options,
    gatekeeper,
    database,
    ids,
    documents,
    images,
    warn: (sentence) => void process.stderr.write(`sandbox: ${sentence}\n`),
    signal,
  });
  const { workspaces } = workspaceDeps;
  const index = createIndexer(deps, stores, workspaces, clock);
  const programOf = openAgents(deps, stores, workspaces, {
    pairs: workspaceDeps.pairs.list,
    ready: index.isDone,
  });
  const chat = { gatekeeper, options, clock, faults: faultRules, sessions, images, directory, programOf };
  const routes: readonly Route[] = [
    ...authRoutes({ accounts, clock, options, gatekeeper, tokens, clients }),
    ...liteChatRoutes(chat),
    ...openChatRoutes(chat),
    ...mediaRoutes({ gatekeeper, options, images, documents, links: createLinks(tokens, clock) }),
    ...peopleRoutes({ gatekeeper, options, database, users, roles, organizations }),
    ...botRoutes(gatekeeper, directory, workspaces),
    ...assistantRoutes(gatekeeper, directory, workspaces),
    ...knowledgeRoutes(workspaceDeps),
    ...retrievalRoutes(workspaceDeps),
  ];
  const log = createCallLog(clock, () => options.inspect);
  const controls: readonly Route[] = [
    ...controlRoutes(faultRules, options, log, routes),
    control('GET /', () => jsonReply(recordsOf(stores, directory, workspaces))),
    control('POST /__sandbox/reindex', async () => {
      await index.run();
      return jsonReply({ documents: documents.list() });
    }),
  ];
  return {
    routes: [...routes, ...controls],
    faults,
    log,
    clock,
    documents,
    index: index.run,
    idle: workspaceDeps.indexing.idle,
  };
}

type Stores = ReturnType<typeof createStores>;

/** Reads the sources into the index, again each time that it runs. */
function createIndexer(
  { sources, onIndexing: onProgress, signal }: PlatformDeps,
  { documents, images }: Stores,
  workspaces: Workspaces,
  clock: Clock,
) {
  let done = false;
  const preparation = (id: string) => {
    const workspace = workspaces.withId(id);
    return workspace && preparationOf(workspace.settings);
  };
  return {
    isDone: () => done,
    async run(): Promise<void> {
      await indexSources(sources(), { documents, images, preparation, clock, signal, onProgress });
      done = true;
    },
  };
}

function openAgents(
  { clock, options, model }: PlatformDeps,
  { documents, images }: Stores,
  workspaces: Workspaces,
  { pairs, ready }: Pick<KnowledgeDeps, 'pairs' | 'ready'>,
) {
  // Requests name workspaces by name or by id (platform contract INC-18).
  const workspaceIds = (names: readonly string[]) => names.flatMap((name) => workspaces.find(name)?.id ?? []);
  // Agents pause in real time, so they get the real clock and not the one that faults shift.
  const paceMs = () => options.paceMs;
  const knowledge = { clock, paceMs, documents, workspaceIds, pairs, ready };
  return createAgents({ clock, paceMs, images }, knowledge, model);
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
  { clients, people, documents, sessions }: Stores,
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
