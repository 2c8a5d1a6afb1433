import { sharePath } from '../media/share.ts';
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

function metadataOf({ chunk, document }: Hit, { base, workspaceName }: ItemSettings) {
  const workspace = workspaceName(document.workspace);
  return {
    Url: `${base}${sharePath(document.id)}`,
    FileName: document.name,
    FileId: document.id,
    FilePath: `${workspace}/${document.name}`,
    WorkspaceName: workspace,
    Created: createdAt(document.id),
    Size: String(document.size),
    Title: document.title,
    Heading: chunk.heading,
  };
}

/** An id carries the time at which it was issued (platform contract GEN-9). */
const createdAt = (id: string): string => new Date(Number(BigInt(id) / 1_000_000n)).toISOString();

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;
