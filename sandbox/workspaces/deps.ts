import type { Gatekeeper } from '../auth/identity.ts';
import type { Clock } from '../clock.ts';
import { mayUse, type SandboxAccount } from '../fixtures.ts';
import { idText } from '../http/json.ts';
import type { Call } from '../http/operation.ts';
import { declined, known } from '../http/reply.ts';
import type { Options } from '../options.ts';
import type { Database } from '../store/database.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';
import type { Indexing } from './indexing.ts';
import type { Batches, Uploads } from './uploads.ts';
import type { Pairs, Workspace, Workspaces, WorkspaceTypes } from './workspaces.ts';

/** Stores and services that the workspace routes use. */
export interface WorkspaceDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gatekeeper: Gatekeeper;
  readonly options: Options;
  readonly documents: Documents;
  readonly workspaces: Workspaces;
  readonly types: WorkspaceTypes;
  readonly uploads: Uploads;
  readonly batches: Batches;
  readonly pairs: Pairs;
  readonly indexing: Indexing;
  /** The real name of a user, by user name. */
  readonly realName: (userName: string) => string;
  /** Tells the operator what is odd but allowed. */
  readonly warn: (sentence: string) => void;
}

/** Characters of what a caller named that a refusal repeats. */
const REPEATED = 100;

/** The workspace, unless it is unknown or closed to the account: the refusal tells which (platform contract AUT-17). */
export function openWorkspace(
  { workspaces }: WorkspaceDeps,
  account: SandboxAccount,
  nameOrId: string,
): Workspace {
  const workspace = known(workspaces.find(nameOrId), `workspace ${nameOrId.slice(0, REPEATED)}`);
  if (!mayUse(account, workspace.id)) {
    throw declined(`The permission to use the workspace ${workspace.name} is missing.`);
  }
  return workspace;
}

/** The file, unless it is unknown or in a workspace that is closed to the caller. */
export function openFile({ documents }: WorkspaceDeps, account: SandboxAccount, id: string): StoredDocument {
  const document = known(documents.find(id), `file ${id}`);
  if (!mayUse(account, document.workspace)) throw declined('The permission to use this file is missing.');
  return document;
}

/** The ids of a deletion: a bare array as the body, else `ids` in the query, repeated or with commas (platform contract WSP-4). */
export async function idsOf(call: Call): Promise<readonly string[]> {
  const body = await call.json();
  if (body !== undefined && !Array.isArray(body)) throw declined('The body must be an array of ids.');
  const values: readonly unknown[] = body ?? call.query.getAll('ids').flatMap((text) => text.split(','));
  const codes = values.map((value) => idText(value) ?? '');
  if (codes.includes('')) throw declined('The parameter ids must hold ids or names only.');
  if (codes.length === 0) throw declined('The parameter ids is missing.');
  const ids = codes.map((id) => id.trim());
  for (const id of ids) if (!/^\d{1,19}$/.test(id)) throw declined(`${id} is no id.`);
  return [...new Set(ids)];
}
