import type { Route } from '../http/operation.ts';
import type { Images } from '../store/images.ts';
import type { WorkspaceDeps } from './deps.ts';
import { fileRoutes } from './file-routes.ts';
import { createIndexing } from './indexing.ts';
import { typeRoutes } from './type-routes.ts';
import { fileUploadRoutes } from './upload-routes.ts';
import { createBatches, createUploads } from './uploads.ts';
import { inspectionRoutes, workspaceRoutes } from './workspace-routes.ts';
import { createPairs, createWorkspaces, createWorkspaceTypes, seedWorkspaces } from './workspaces.ts';

type Given = Pick<
  WorkspaceDeps,
  'database' | 'clock' | 'ids' | 'gatekeeper' | 'options' | 'documents' | 'realName' | 'warn'
> & {
  readonly images: Images;
  /** Ended when the sandbox closes. */
  readonly signal: AbortSignal;
};

/** Everything that holds knowledge: workspaces, their types and files, and question-answer pairs. */
export function createWorkspaceDeps({ images, signal, ...given }: Given): WorkspaceDeps {
  const { database, ids, clock, documents, options } = given;
  const workspaces = createWorkspaces(database, ids);
  seedWorkspaces(database, workspaces);
  const uploads = createUploads(database);
  const stateMs = () => options.fileStateMs;
  return {
    ...given,
    workspaces,
    uploads,
    types: createWorkspaceTypes(database, ids),
    batches: createBatches(database, ids),
    pairs: createPairs(database, ids),
    indexing: createIndexing({ clock, documents, images, uploads, workspaces, stateMs, signal }),
  };
}

export const workspacesRoutes = (parts: WorkspaceDeps): readonly Route[] => [
  ...workspaceRoutes(parts),
  ...typeRoutes(parts),
  ...fileUploadRoutes(parts),
  ...fileRoutes(parts),
  ...inspectionRoutes(parts),
];
