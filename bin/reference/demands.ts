/**
 * Where the platform demands something else than our client, which fills in what it can and insists on what is easily
 * forgotten: the OpenAPI document is for those who call without it. Members by their names on the wire.
 */

import type { AnyOperation } from '../../src/platform/api.ts';
import type { Json } from './wire-schema.ts';

interface Demand {
  /** Demanded by the platform, filled in by our client. */
  readonly required?: readonly string[];
  /** Demanded by our client only. */
  readonly optional?: readonly string[];
  /** What our client sends unless told otherwise, and the platform does not know of. */
  readonly ours?: readonly string[];
  /** At least one of each. */
  readonly either?: readonly (readonly string[])[];
}

const LISTING = ['orderField', 'orderType', 'pageIndex', 'pageSize'];

const demands: Readonly<Record<string, Demand>> = {
  listClients: { ours: ['page', 'page_size'] },
  temporaryLinks: { ours: ['locale'] },
  liteUploadFiles: { optional: ['WorkspaceId', 'Files'] },
  editFileMetadata: { optional: ['metadataTemplate'] },
  retrieve: { required: ['topk'], ours: ['ragMode'], either: [['query', 'keywords']] },
  createWorkspace: { required: ['description'], ours: ['enable'] },
  enableTypes: { required: ['enable'] },
  updateUser: { required: ['active'], either: [['id', 'userName']] },
  pageUsers: { required: LISTING },
  createOrg: { either: [['parentId', 'parentCode']] },
  updateOrg: {
    either: [
      ['id', 'code'],
      ['parentId', 'parentCode'],
    ],
  },
  pageOrgUsers: { required: LISTING },
  orgUserPages: { required: [...LISTING, 'conditions'] },
};

/** The members that the platform demands, of those that our client demands. */
export function demandedOf({ id }: AnyOperation, byClient: readonly string[]): readonly string[] {
  const { required = [], optional = [] } = demands[id] ?? {};
  return [...byClient.filter((name) => !optional.includes(name)), ...required];
}

/** The schema of a member without a default that the platform does not have. */
export function withPlatformDefault({ id }: AnyOperation, name: string, schema: Json): Json {
  const { required = [], ours = [] } = demands[id] ?? {};
  if (!required.includes(name) && !ours.includes(name)) return schema;
  const { default: _ours, ...rest } = schema;
  return rest;
}

/** Members of which one must be there. */
export function alternativesOf({ id }: AnyOperation): Json {
  const groups = (demands[id]?.either ?? []).map((names) => ({
    anyOf: names.map((name) => ({ required: [name] })),
  }));
  const [only, ...others] = groups;
  return only === undefined ? {} : others.length === 0 ? only : { allOf: groups };
}
