import type { Gatekeeper } from '../auth/identity.ts';
import type { SandboxAccount } from '../fixtures.ts';
import { mayUse } from '../fixtures.ts';
import type { Call } from '../http/call.ts';
import { openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Options } from '../options.ts';
import type { Documents } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';
import { itemOf } from './item.ts';
import { createMetadataIndex } from './metadata.ts';
import { createPassageIndex } from './passage-index.ts';
import { readRequest } from './request.ts';
import { type Indexes, retrieve } from './retrieve.ts';

export interface RetrievalParts {
  readonly gatekeeper: Gatekeeper;
  readonly documents: Documents;
  readonly ids: Ids;
  readonly options: Options;
  readonly workspaces: () => readonly { readonly id: string; readonly name: string }[];
}

/** Retrieval of passages (platform contract, section 13). */
export function retrievalRoutes(parts: RetrievalParts): readonly Route[] {
  const indexes: Indexes = {
    documents: parts.documents,
    index: createPassageIndex(parts.documents),
    metadata: createMetadataIndex(parts.documents),
  };
  return [
    {
      id: 'retrieve',
      method: 'POST',
      path: '/v1/openapi/rag',
      face: 'open',
      handle: async (call) => {
        const account = parts.gatekeeper.openAccount(call);
        return await answer(parts, indexes, call, account);
      },
    },
  ];
}

async function answer(
  parts: RetrievalParts,
  indexes: Indexes,
  call: Call,
  account: SandboxAccount,
): Promise<Reply> {
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
  const results = retrieve(request, indexes, mayRead).map((hit) => itemOf(hit, settings));
  return openReply({ searchId: parts.ids.next(), results });
}
