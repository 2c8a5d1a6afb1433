import type { ModelSettings } from './agents/model.ts';
import { type Clock, systemClock } from './clock.ts';
import { type SandboxCatalogue, sandboxCatalogue } from './fixtures.ts';
import { listen } from './http/listen.ts';
import { createRouter } from './http/operation.ts';
import { type IndexProgress, indexSources, type KnowledgeSource } from './knowledge/folder.ts';
import { defaultSources } from './knowledge/shipped.ts';
import { changeOptions, defaultOptions, type Options } from './options.ts';
import { createPlatform } from './platform.ts';
import { createSandboxServer } from './server.ts';
import { openDatabase } from './store/database.ts';
import type { StoredDocument } from './store/documents.ts';

export { type SandboxCatalogue, sandboxCatalogue } from './fixtures.ts';

export interface SandboxSettings {
  /** Port; 0 uses any free port. */
  readonly port?: number;
  /** Host to listen on; only the loopback address by default. */
  readonly host?: string;
  /** Folder of the database. */
  readonly data?: string;
  /** True to store nothing on disk; `data` is then ignored. */
  readonly memory?: boolean;
  /** Folders or files to answer from; by default, the shipped documents and the project's documentation. */
  readonly knowledge?: readonly string[];
  /**
   * Address in the links that the sandbox writes, with the base path; by default, the address that it listens
   * on.
   */
  readonly publicUrl?: string;
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
  /** The live options. They can be changed here or through the control route. */
  readonly options: Options;
  /** Resolves when the documents are indexed. */
  readonly indexed: Promise<void>;
  documents(): readonly StoredDocument[];
  close(): Promise<void>;
}

const DEFAULT_PORT = 3001;
const DEFAULT_DATA = '.parley/sandbox';

/** Starts the local agent platform. Resolves when it listens, before the documents are read. Throws PortTaken. */
export async function startSandbox(settings: SandboxSettings = {}): Promise<RunningSandbox> {
  const options = defaultOptions(sandboxCatalogue.adminToken);
  changeOptions(options, settings.options ?? {});
  const database = openDatabase(settings.memory ? undefined : (settings.data ?? DEFAULT_DATA));
  const closing = new AbortController();
  const indexing = {
    done: false,
    run: async (): Promise<void> => {
      const onProgress = settings.onIndexing ?? (() => undefined);
      await indexSources(sourcesOf(settings), { ...platform, signal, onProgress });
      indexing.done = true;
    },
  };
  const clock = settings.clock ?? systemClock;
  const { model } = settings;
  const { signal } = closing;
  const platform = createPlatform({ database, options, clock, model, indexing, signal });
  const basePath = (settings.basePath ?? '').replace(/\/$/, '');
  let url = '';
  const base = () => (settings.publicUrl ?? url).replace(/\/$/, '');
  const find = createRouter(platform.routes);
  const server = createSandboxServer({ ...platform, find, options, basePath, base });
  const { port, address } = await listen(server, settings.port ?? DEFAULT_PORT, settings.host ?? '127.0.0.1');
  // A wildcard address does not work in a link.
  url = `http://${/^(?:0\.0\.0\.0|\[::\])$/.test(address) ? 'localhost' : address}:${port}${basePath}`;
  const indexed = new Promise(setImmediate).then(indexing.run);
  indexed.catch(() => undefined);
  return {
    url: `http://${address}:${port}${basePath}`,
    port,
    catalogue: sandboxCatalogue,
    options,
    indexed,
    documents: () => platform.documents.list(),
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
      await indexed.catch(() => undefined);
      await platform.idle();
      database.close();
    },
  };
}

function sourcesOf(settings: SandboxSettings): readonly KnowledgeSource[] {
  const workspace = sandboxCatalogue.workspaces.find(({ name }) => name === 'folder')?.id ?? '';
  return settings.knowledge?.map((path) => ({ path, workspace })) ?? defaultSources();
}
