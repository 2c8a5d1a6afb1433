import { jsonReply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { WorkspaceDeps } from './deps.ts';
import type { Workspace } from './workspaces.ts';

/** What no operation of the platform reads again (platform contract QNA-2, WSP-3). */
export const inspectionRoutes = (parts: WorkspaceDeps): readonly Route[] => [
  {
    id: 'inspectPairs',
    method: 'GET',
    path: '/__inspect/pairs',
    face: 'plain',
    control: true,
    handle: async () => jsonReply(parts.pairs.list()),
  },
  {
    id: 'inspectWorkspaces',
    method: 'GET',
    path: '/__inspect/workspaces',
    face: 'plain',
    control: true,
    handle: async () => jsonReply(parts.workspaces.list().map((workspace) => record(workspace, parts))),
  },
];

/** A workspace whole, under the platform's names (platform contract WSP-5). `quotaUsage` is in MiB, like `quota`. */
function record({ type, category, ...rest }: Workspace, { types, documents }: WorkspaceDeps) {
  const { title, code } = types.withId(type) ?? { title: [], code: '' };
  return {
    ...rest,
    workspaceTypeId: type,
    workspaceTypeName: title[0]?.content ?? code,
    classificationId: category,
    quotaUsage: documents.sizeOf(rest.id) / 1024 ** 2,
    fileCount: documents.inWorkspace(rest.id).length,
  };
}
