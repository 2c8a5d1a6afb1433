import type { Gatekeeper } from '../auth/identity.ts';
import { mayUse, type SandboxAccount } from '../fixtures.ts';
import type { Call, Route } from '../http/operation.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Options } from '../options.ts';
import { readEntries } from '../search/metadata.ts';
import { readRequest } from '../search/request.ts';
import { type Hit, type Indexes, retrieve } from '../search/retrieve.ts';
import { sharePath } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';

interface RetrievalDeps {
  readonly gatekeeper: Gatekeeper;
  readonly indexes: Indexes;
  readonly ids: Ids;
  readonly options: Options;
  readonly workspaces: () => readonly { readonly id: string; readonly name: string }[];
}

/** Retrieval of passages (platform contract RAG-1 to RAG-11). */
export function retrievalRoutes(parts: RetrievalDeps): readonly Route[] {
  return [
    {
      id: 'retrieve',
      method: 'POST',
      path: '/v1/openapi/rag',
      face: 'open',
      handle: async (call) => {
        const account = parts.gatekeeper.openAccount(call);
        return await answer(parts, call, account);
      },
    },
  ];
}

async function answer(parts: RetrievalDeps, call: Call, account: SandboxAccount): Promise<Reply> {
  const request = readRequest(await call.fields());
  const all = parts.workspaces();
  const asked = request.workspaces;
  const wanted =
    asked &&
    new Set(all.filter(({ id, name }) => asked.includes(id) || asked.includes(name)).map(({ id }) => id));
  const mayRead = (workspace: string): boolean =>
    mayUse(account, workspace) && (wanted?.has(workspace) ?? true);
  const settings = {
    base: call.base,
    workspaceName: (id: string) => all.find((workspace) => workspace.id === id)?.name ?? '',
    metadataAsText: parts.options.retrievalMetadataAsText,
    hideWorkspaceName: parts.options.retrievalHidesWorkspaceName,
  };
  const results = retrieve(request, parts.indexes, mayRead).map((hit) => itemOf(hit, settings));
  return openReply({ searchId: parts.ids.next(), results });
}

interface ItemSettings {
  /** Address of the sandbox as the caller sees it. */
  readonly base: string;
  readonly workspaceName: (id: string) => string;
  /** Send metadata as JSON in a string. */
  readonly metadataAsText: boolean;
  /** Leave the member workspaceName empty; metadata still has it. */
  readonly hideWorkspaceName: boolean;
}

/** A result as it is sent (platform contract RAG-11). */
function itemOf(hit: Hit, settings: ItemSettings) {
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

/** Metadata of the file as text, with the entries that people added under their own names. */
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
