import { mayUse } from '../fixtures.ts';
import { noBody, operations, type Route } from '../http/operation.ts';
import { openReply } from '../http/reply.ts';
import type { Options } from '../options.ts';
import { readRequest } from '../search/request.ts';
import { type Hit, retrieve } from '../search/retrieve.ts';
import { sharePath } from '../store/documents.ts';
import { timeOf } from '../store/ids.ts';
import { readEntries } from '../store/passages.ts';
import type { WorkspaceDeps } from './deps.ts';

/** The route that retrieves passages (platform contract RAG-1 to RAG-11). */
export function retrievalRoutes(deps: WorkspaceDeps): readonly Route[] {
  const open = operations('open', deps.gatekeeper.openAccount);
  return [
    open('retrieve', 'POST /v1/openapi/rag', noBody, async ({ call, caller }) => {
      const request = readRequest(await call.fields());
      const { workspaces: asked } = request;
      const all = deps.workspaces.list();
      const named = all.filter(({ id, name }) => asked?.includes(id) || asked?.includes(name));
      const wanted = asked && new Set(named.map(({ id }) => id));
      const mayRead = (workspace: string): boolean =>
        mayUse(caller, workspace) && (wanted?.has(workspace) ?? true);
      const nameOf = (workspace: string) => all.find(({ id }) => id === workspace)?.name ?? '';
      const results = retrieve(request, deps.documents, mayRead).map((hit) =>
        itemOf(hit, call.base, nameOf(hit.document.workspace), deps.options),
      );
      return openReply({ searchId: deps.ids.next(), results });
    }),
  ];
}

/** Returns a passage as the platform sends it (platform contract RAG-11: results). */
function itemOf(hit: Hit, base: string, workspace: string, options: Options) {
  const { chunk, document } = hit;
  const metadata = metadataOf(hit, base, workspace);
  return {
    chunkId: chunk.id,
    fileId: document.id,
    fileName: document.name,
    content: chunk.text,
    metadata: options.retrievalMetadataAsText ? JSON.stringify(metadata) : metadata,
    url: metadata.Url,
    searchScore: rounded(hit.searchScore),
    rrfScore: rounded(hit.rrfScore),
    rerankScore: 0,
    workspaceId: document.workspace,
    workspaceName: options.retrievalHidesWorkspaceName ? '' : workspace,
  };
}

/** Returns the file's metadata as texts: what the sandbox knows about the file, and the entries that people added. */
function metadataOf({ chunk, document }: Hit, base: string, workspace: string) {
  return {
    ...Object.fromEntries(readEntries(document.metadata).map(({ name, value }) => [name, value])),
    Url: `${base}${sharePath(document.id)}`,
    FileName: document.name,
    FileId: document.id,
    FilePath: `${workspace}${document.fullPath || `/${document.name}`}`,
    WorkspaceName: workspace,
    // The first version did not store the time of creation, but a document's id contains it.
    Created: new Date(document.created || timeOf(document.id)).toISOString(),
    Size: String(document.size),
    Title: document.title,
    Heading: chunk.heading,
  };
}

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;
