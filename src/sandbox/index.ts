import type { Server } from 'node:http';
import { createAgents } from './agents/agents.ts';
import type { ModelSettings } from './agents/model.ts';
import { createClients } from './auth/clients.ts';
import { createGatekeeper } from './auth/identity.ts';
import { authRoutes } from './auth/routes.ts';
import { createTokens } from './auth/tokens.ts';
import { liteChatRoutes } from './chat/lite-routes.ts';
import { openChatRoutes } from './chat/open-routes.ts';
import { type Clock, shiftedClock, systemClock } from './clock.ts';
import { createFaults } from './faults/faults.ts';
import { controlRoutes } from './faults/routes.ts';
import { type SandboxCatalogue, sandboxCatalogue } from './fixtures.ts';
import { asFields } from './http/fields.ts';
import { listen } from './http/listen.ts';
import { createCallLog } from './http/log.ts';
import { createRouter } from './http/router.ts';
import { createSandboxServer } from './http/server.ts';
import { type IndexProgress, indexSources } from './knowledge/folder.ts';
import { defaultSources, pictureOfTheHouse } from './knowledge/shipped.ts';
import { createImages } from './media/images.ts';
import { createLinks } from './media/links.ts';
import { mediaRoutes } from './media/routes.ts';
import { uploadRoutes } from './media/upload.ts';
import { changeOptions, defaultOptions, type Options } from './options.ts';
import { openDatabase } from './store/database.ts';
import { createDocuments, type StoredDocument } from './store/documents.ts';
import { createIds } from './store/ids.ts';
import { createSessions } from './store/sessions.ts';

export { type SandboxCatalogue, sandboxCatalogue } from './fixtures.ts';

export interface SandboxSettings {
  /** 0 for any free port. */
  readonly port?: number;
  /** Only the loopback address by default. */
  readonly host?: string;
  /** Folder of the database. */
  readonly data?: string;
  /** Keep nothing on disk; then `data` is not used. */
  readonly memory?: boolean;
  /** Folders or files to answer from; the shipped documents and the project's own when absent. */
  readonly knowledge?: readonly string[];
  /** Path in front of every route, such as `/platform`. */
  readonly basePath?: string;
  readonly clock?: Clock;
  readonly model?: ModelSettings;
  /** Options that differ from their defaults; see docs/sandbox.md. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly onIndexing?: (progress: IndexProgress) => void;
}

export interface RunningSandbox {
  /** Address with the base path, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly catalogue: SandboxCatalogue;
  /** The live options; change them through the control route or here. */
  readonly options: Options;
  /** Resolves when the documents are indexed. */
  readonly indexed: Promise<void>;
  documents(): readonly StoredDocument[];
  close(): Promise<void>;
}

const DEFAULT_PORT = 3001;
const DEFAULT_DATA = '.parley/sandbox';

/** Starts the local agent platform. Resolves when it listens; documents are read after that. */
export async function startSandbox(settings: SandboxSettings = {}): Promise<RunningSandbox> {
  const realClock = settings.clock ?? systemClock;
  const options = defaultOptions(sandboxCatalogue.adminToken);
  changeOptions(options, asFields(settings.options ?? {}) ?? {});
  const database = openDatabase(settings.memory ? undefined : (settings.data ?? DEFAULT_DATA));
  const faults = createFaults({ clock: realClock, revokeTokens: () => tokens.revokeAll() });
  const clock = shiftedClock(realClock, () => faults.clockOffset());
  const tokens = createTokens(database, clock);
  const ids = createIds(database, clock);
  const images = createImages(database);
  const documents = createDocuments(database, ids, images);
  const sessions = createSessions(database, ids, clock);
  const gatekeeper = createGatekeeper(sandboxCatalogue, tokens, () => options.adminToken);
  const log = createCallLog(clock, () => options.inspect);
  const closing = new AbortController();
  const sources =
    settings.knowledge?.map((path) => ({ path, workspace: folderWorkspace })) ?? defaultSources();
  const indexing = { done: false };
  const index = async (): Promise<void> => {
    const onProgress = settings.onIndexing ?? (() => undefined);
    await indexSources(sources, { documents, images, signal: closing.signal, onProgress });
    indexing.done = true;
  };
  const paceMs = () => options.paceMs;
  const agents = createAgents(
    { clock: realClock, paceMs, images, picture: pictureOfTheHouse },
    { documents, clock: realClock, paceMs, workspaceIds, ready: () => indexing.done },
    settings.model,
  );
  const chat = { catalogue: sandboxCatalogue, clock, options, gatekeeper, sessions, images, faults, agents };
  const routes = [
    ...authRoutes({
      catalogue: sandboxCatalogue,
      clock,
      options,
      tokens,
      gatekeeper,
      clients: createClients(database, sandboxCatalogue, clock),
    }),
    ...liteChatRoutes(chat),
    ...openChatRoutes(chat),
    ...uploadRoutes({ gatekeeper, images, options }),
    ...mediaRoutes({ gatekeeper, images, options, documents, links: createLinks(tokens, clock) }),
    ...controlRoutes({ faults, options, log, reindex: () => index().then(() => documents.list()) }),
  ];
  const basePath = (settings.basePath ?? '').replace(/\/$/, '');
  const server = createSandboxServer({ find: createRouter(routes), faults, options, log, clock, basePath });
  const { port, address } = await listen(server, settings.port ?? DEFAULT_PORT, settings.host ?? '127.0.0.1');
  const indexed = new Promise(setImmediate).then(index);
  indexed.catch(() => undefined);
  return {
    url: `http://${address}:${port}${basePath}`,
    port,
    catalogue: sandboxCatalogue,
    options,
    indexed,
    documents: () => documents.list(),
    close: async () => {
      closing.abort();
      await shut(server);
      await indexed.catch(() => undefined);
      database.close();
    },
  };
}

const folderWorkspace = workspaceId('folder');

function workspaceId(name: string): string {
  return sandboxCatalogue.workspaces.find((workspace) => workspace.name === name)?.id ?? '';
}

/** Workspaces may be named by name or by id (platform contract INC-18). */
const workspaceIds = (names: readonly string[]): readonly string[] =>
  sandboxCatalogue.workspaces
    .filter((workspace) => names.includes(workspace.id) || names.includes(workspace.name))
    .map((workspace) => workspace.id);

async function shut(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
