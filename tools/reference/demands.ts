/**
 * Lists how the request fields that our client requires differ from those that the platform requires. Our client fills
 * in some fields with defaults, and requires others because people easily forget them. The OpenAPI document uses this
 * list, because it is for callers without our client. Fields have their names on the wire.
 */

import type { AnyOperation } from '../../src/platform/api.ts';
import type { Json } from './wire-schema.ts';

interface Demand {
  /** Request fields that the platform requires, but that our client fills in. */
  readonly required?: readonly string[];
  /** Request fields that our client requires, but the platform does not. */
  readonly optional?: readonly string[];
  /** Request fields whose default exists only in our client. */
  readonly ours?: readonly string[];
  /** Groups of request fields. The platform requires at least one field of each group. */
  readonly either?: readonly (readonly string[])[];
}

const LISTING = ['orderField', 'orderType', 'pageIndex', 'pageSize'];

const demands: Readonly<Record<string, Demand>> = {
  listClients: { ours: ['page', 'page_size'] },
  temporaryLinks: { ours: ['locale'] },
  liteUploadFiles: { optional: ['WorkspaceId', 'Files'] },
  editFileMetadata: { optional: ['metadataTemplate'] },
  retrieve: { required: ['ragObject', 'topk', 'ragMode'], either: [['query', 'keywords']] },
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

/** Returns the fields that the platform requires. `byClient` are those that our client requires. */
export function demandedOf({ id }: AnyOperation, byClient: readonly string[]): readonly string[] {
  const { required = [], optional = [] } = demands[id] ?? {};
  return [...byClient.filter((name) => !optional.includes(name)), ...required];
}

/** True if a required field may be null, as the texts of a user may (platform contract USR-8). */
export const mayBeNull = ({ id }: AnyOperation, { type }: Json): boolean =>
  id === 'updateUser' && type === 'string';

/** Returns the query parameters that may replace the body (platform contract WSP-4). */
export function idsInQuery({ id }: AnyOperation): readonly Json[] {
  if (id !== 'deleteWorkspaces' && id !== 'deleteTypes') return [];
  const schema = { type: 'array', items: { type: 'integer', format: 'int64' } };
  const description = 'The ids, repeated or separated by commas, if the request has no body';
  return [{ name: 'ids', in: 'query', required: false, description, schema }];
}

/** Returns the field's schema without a default that exists only in our client. */
export function withPlatformDefault({ id }: AnyOperation, name: string, schema: Json): Json {
  const { required = [], ours = [] } = demands[id] ?? {};
  if (!required.includes(name) && !ours.includes(name)) return schema;
  const { default: _ours, ...rest } = schema;
  return rest;
}

/** Null and an empty text count as absent. */
const PRESENT: Json = { type: 'string', minLength: 1 };

/** Returns a schema that requires at least one field of each group. */
export function alternativesOf({ id }: AnyOperation): Json {
  const groups = (demands[id]?.either ?? []).map((names) => ({
    anyOf: names.map((name) => ({ required: [name], properties: { [name]: PRESENT } })),
  }));
  const [only, ...others] = groups;
  return only === undefined ? {} : others.length === 0 ? only : { allOf: groups };
}
