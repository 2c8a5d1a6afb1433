import type { Route } from '../http/operation.ts';
import type { GivenDeps, WorkspaceDeps } from './deps.ts';
import { fileRoutes } from './file-routes.ts';
import { createIndexing } from './indexing.ts';
import { typeRoutes } from './type-routes.ts';
import { fileUploadRoutes } from './upload-routes.ts';
import { createBatches, createUploads } from './uploads.ts';
import { inspectionRoutes, workspaceRoutes } from './workspace-routes.ts';
import { createPairs, createWorkspaces, createWorkspaceTypes, seedWorkspaces } from './workspaces.ts';

/** Everything that holds knowledge: workspaces, their types and files, and question-answer pairs. */
export function createWorkspaceDeps(given: GivenDeps): WorkspaceDeps {
  const { database, ids } = given;
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
    indexing: createIndexing({ ...given, uploads, workspaces }),
  };
}

export const workspacesRoutes = (parts: WorkspaceDeps): readonly Route[] => [
  ...workspaceRoutes(parts),
  ...typeRoutes(parts),
  ...fileUploadRoutes(parts),
  ...fileRoutes(parts),
  ...inspectionRoutes(parts),
];
