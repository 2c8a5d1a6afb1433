import type { StoredDocument } from '../store/documents.ts';
import { sharePath } from '../store/documents.ts';
import type { WorkspaceDeps } from './deps.ts';

/** A file as a listing shows it (platform contract FIL-6). */
export function fileItem(
  document: StoredDocument,
  { options, realName }: WorkspaceDeps,
  base: string,
): Readonly<Record<string, unknown>> {
  const { id, name, size, fullPath, state, created, modified, createdBy, modifiedBy } = document;
  const readable = state === 'success';
  return {
    ...(options.fileItemVariant === 'seen' ? { id: BigInt(id), fileName: name } : { id, name }),
    size,
    description: document.reason,
    fullPath,
    tags: [],
    chunkingState: state,
    previewState: state,
    fileCanPreview: readable,
    ...(readable && { previewUrl: `${base}${sharePath(id)}` }),
    createdByRealName: realName(createdBy),
    createdByAccount: createdBy,
    modifiedByRealName: realName(modifiedBy),
    modifiedByAccount: modifiedBy,
    created: new Date(created).toISOString(),
    modified: new Date(modified).toISOString(),
  };
}

/** Newest change first; of one moment the later id first (platform contract FIL-5). */
export const byModified = (one: StoredDocument, other: StoredDocument): number =>
  other.modified - one.modified || (other.id > one.id ? 1 : -1);
