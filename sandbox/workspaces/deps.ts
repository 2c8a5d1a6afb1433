import type { Accounts, Gatekeeper } from '../auth/identity.ts';
import type { Clock } from '../clock.ts';
import { mayUse, type SandboxAccount } from '../fixtures.ts';
import { idText } from '../http/json.ts';
import type { Call } from '../http/operation.ts';
import { declined, known } from '../http/reply.ts';
import type { Options } from '../options.ts';
import type { Database } from '../store/database.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';
import type { Images } from '../store/images.ts';
import { createIndexing } from './indexing.ts';
import { createBatches, createUploads } from './uploads.ts';
import {
  createPairs,
  createWorkspaces,
  createWorkspaceTypes,
  seedWorkspaces,
  type Workspace,
} from './workspaces.ts';

interface GivenDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly options: Options;
  readonly gatekeeper: Gatekeeper;
  readonly database: Database;
  readonly ids: Ids;
  readonly documents: Documents;
  readonly images: Images;
  /** Logs a warning for the operator about a value that is allowed but unusual. */
  readonly warn: (sentence: string) => void;
  /** Aborted when the sandbox closes. */
  readonly signal: AbortSignal;
}

export type WorkspaceDeps = ReturnType<typeof createWorkspaceDeps>;

/** Creates what the workspace routes need: the stores of workspaces, their types, files, and question-answer pairs. */
export function createWorkspaceDeps(given: GivenDeps) {
  const { database, ids, clock, documents, images, options, signal } = given;
  const workspaces = createWorkspaces(database, ids);
  seedWorkspaces(database, workspaces);
  const uploads = createUploads(database);
  return {
    ...given,
    workspaces,
    uploads,
    types: createWorkspaceTypes(database, ids),
    batches: createBatches(database, ids),
    pairs: createPairs(database, ids),
    indexing: createIndexing({ clock, documents, images, options, signal, uploads, workspaces }),
  };
}

/** If a refusal repeats a name or id from the request, it repeats at most this number of characters. */
const NAME_LENGTH = 100;

/**
 * Returns the workspace. Refuses an unknown workspace, and one that the account may not use. The refusal says which of
 * the two it is (platform contract AUT-17: permissions).
 */
export function openWorkspace(
  { workspaces }: WorkspaceDeps,
  account: SandboxAccount,
  nameOrId: string,
): Workspace {
  const workspace = known(workspaces.find(nameOrId), `workspace ${nameOrId.slice(0, NAME_LENGTH)}`);
  if (!mayUse(account, workspace.id)) {
    throw declined(`The permission to use the workspace ${workspace.name} is missing.`);
  }
  return workspace;
}

/** Returns the file. Refuses an unknown one, and one in a workspace that the account may not use. */
export function openFile({ documents }: WorkspaceDeps, account: SandboxAccount, id: string): StoredDocument {
  const document = known(documents.find(id), `file ${id}`);
  if (!mayUse(account, document.workspace)) throw declined('The permission to use this file is missing.');
  return document;
}

/**
 * Returns the ids to delete. They are an array in the body, or `ids` in the query: repeated, or separated by commas
 * (platform contract WSP-4: deletion).
 */
export async function idsOf(call: Call): Promise<readonly string[]> {
  const body = await call.json();
  if (body !== undefined && !Array.isArray(body)) throw declined('The body must be an array of ids.');
  const values: readonly unknown[] = body ?? call.query.getAll('ids').flatMap((text) => text.split(','));
  const codes = values.map((value) => idText(value) ?? '');
  if (codes.includes('')) throw declined('The parameter "ids" must contain only ids or names.');
  if (codes.length === 0) throw declined('The parameter "ids" is missing.');
  const ids = codes.map((id) => id.trim());
  for (const id of ids) if (!/^\d{1,19}$/.test(id)) throw declined(`${id} is no id.`);
  return [...new Set(ids)];
}
