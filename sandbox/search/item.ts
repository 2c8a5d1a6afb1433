import { sharePath } from '../store/documents.ts';
import { readEntries } from './metadata.ts';
import type { Hit } from './retrieve.ts';

export interface ItemSettings {
  /** Address of the sandbox as the caller sees it. */
  readonly base: string;
  readonly workspaceName: (id: string) => string;
  /** Send metadata as JSON in a string. */
  readonly metadataAsText: boolean;
  /** Leave the member workspaceName empty; metadata still has it. */
  readonly hideWorkspaceName: boolean;
}

/** A result as it is sent (platform contract RAG-11). */
export function itemOf(hit: Hit, settings: ItemSettings) {
  const { chunk, document } = hit;
  const metadata = metadataOf(hit, settings);
  return {
    chunkId: chunk.id,
    fileId: document.id,
    fileName: document.name,
    content: chunk.text,
    metadata: settings.metadataAsText ? JSON.stringify(metadata) : metadata,
    url: metadata.Url,
    searchScore: rounded(hit.searchScore),
    rrfScore: rounded(hit.rrfScore),
    rerankScore: 0,
    workspaceId: document.workspace,
    workspaceName: settings.hideWorkspaceName ? '' : metadata.WorkspaceName,
  };
}

/** What is known of the file, as text; what people noted about it stands beside it under its own names. */
function metadataOf({ chunk, document }: Hit, { base, workspaceName }: ItemSettings) {
  const workspace = workspaceName(document.workspace);
  return {
    ...Object.fromEntries(readEntries(document.metadata).map(({ name, value }) => [name, value])),
    Url: `${base}${sharePath(document.id)}`,
    FileName: document.name,
    FileId: document.id,
    FilePath: `${workspace}${document.fullPath || `/${document.name}`}`,
    WorkspaceName: workspace,
    Created: new Date(document.created || issuedAt(document.id)).toISOString(),
    Size: String(document.size),
    Title: document.title,
    Heading: chunk.heading,
  };
}

/** An id carries the time at which it was issued (platform contract GEN-9); the first version kept no other. */
const issuedAt = (id: string): number => Number(BigInt(id) / 1_000_000n);

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;
