import type { ModelSettings } from './agents/model.ts';
import { type Clock, systemClock } from './clock.ts';
import { sandboxCatalogue } from './fixtures.ts';
import { listen } from './http/listen.ts';
import { createRouter } from './http/operation.ts';
import type { IndexProgress, KnowledgeSource } from './knowledge/folder.ts';
import { guides, shippedDocuments, workspaceOf } from './knowledge/shipped.ts';
import { changeOptions, defaultOptions } from './options.ts';
import { createPlatform } from './platform.ts';
import { createSandboxServer } from './server.ts';
import { openDatabase } from './store/database.ts';

export { type SandboxCatalogue, sandboxCatalogue } from './fixtures.ts';

export interface SandboxSettings {
  /** Port to listen on; 0 means any free port. */
  readonly port?: number;
  /** Host to listen on. By default, only the loopback address. */
  readonly host?: string;
  /** Folder that contains the database. */
  readonly data?: string;
  /** True to keep all data in memory and store nothing on disk; `data` is then ignored. */
  readonly memory?: boolean;
  /**
   * Folders or files from which agents answer. By default, the documents that ship with the sandbox and the project's
   * documentation.
   */
  readonly knowledge?: readonly string[];
  /** True to read the project's documentation beside `knowledge`, because the agent `guide` answers only from it. */
  readonly withGuides?: true;
  /**
   * Address, including the base path, in links that the sandbox writes. By default, the address on which it listens.
   */
  readonly publicUrl?: string;
  /** Path before every route, such as `/platform`. */
  readonly basePath?: string;
  readonly clock?: Clock;
  readonly model?: ModelSettings;
  /** Options whose values differ from the defaults; docs/sandbox.md lists them. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly onIndexing?: (progress: IndexProgress) => void;
}

export type RunningSandbox = Awaited<ReturnType<typeof startSandbox>>;

const DEFAULT_PORT = 3001;
const DEFAULT_DATA = '.parley/sandbox';

/**
 * Starts the local agent platform. Resolves once it listens, before its documents are read. Throws `PortTaken` if the
 * port is in use.
 */
export async function startSandbox(settings: SandboxSettings = {}) {
  const options = defaultOptions(sandboxCatalogue.adminToken);
  changeOptions(options, settings.options ?? {});
  const database = openDatabase(settings.memory ? undefined : (settings.data ?? DEFAULT_DATA));
  const closing = new AbortController();
  const platform = createPlatform({
    database,
    options,
    clock: settings.clock ?? systemClock,
    model: settings.model,
    sources: () => sourcesOf(settings),
    onIndexing: settings.onIndexing ?? (() => undefined),
    signal: closing.signal,
  });
  const basePath = (settings.basePath ?? '').replace(/\/$/, '');
  let url = '';
  const base = () => (settings.publicUrl ?? url).replace(/\/$/, '');
  const find = createRouter(platform.routes);
  const { faults, log, clock } = platform;
  const server = createSandboxServer({ find, faults, options, log, clock, basePath, base });
  const { port, address } = await listen(server, settings.port ?? DEFAULT_PORT, settings.host ?? '127.0.0.1');
  // Links need a real host, so replace an address such as 0.0.0.0 by `localhost`.
  url = `http://${/^(?:0\.0\.0\.0|\[::\])$/.test(address) ? 'localhost' : address}:${port}${basePath}`;
  const indexed = new Promise(setImmediate).then(platform.index);
  indexed.catch(() => undefined);
  return {
    /** Address of the sandbox with the base path, without a slash at the end. */
    url: `http://${address}:${port}${basePath}`,
    port,
    catalogue: sandboxCatalogue,
    /** The current options. They can be changed here, or over HTTP with the control route. */
    options,
    /** Resolves once all documents are indexed. */
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

function sourcesOf({ knowledge, withGuides }: SandboxSettings): readonly KnowledgeSource[] {
  if (knowledge === undefined) return [shippedDocuments(), ...guides()];
  const workspace = workspaceOf('folder');
  return [...knowledge.map((path) => ({ path, workspace })), ...(withGuides ? guides() : [])];
}
