/**
 * The complete client: every operation, and the tasks that combine several operations. Separate from `index.ts`,
 * because a running bridge uses only a fifth of the operations and should not load the others.
 */
export { isLoopback } from './base-url.ts';
export * from './index.ts';
export {
  type AnyOperation,
  CAPABILITIES,
  type Capability,
  type CredentialKind,
  type Operation,
} from './operation.ts';
export type { BatchItem, FileItem } from './operations/files.ts';
export { api, operations } from './operations/index.ts';
export { timeOf } from './shapes.ts';
export { clearFileMetadata, setFileMetadata, waitBatch, waitIndexed } from './tasks/files.ts';
export { completeOrg } from './tasks/orgs.ts';
export { changeUser, deleteUsersById, deleteUsersByName, type UserPatch } from './tasks/users.ts';
export { findTypeByCode, workspaceFinder } from './tasks/workspaces.ts';
export { differences } from './wire/differences.ts';
export { bare, factsOf, toType, type WireFacts } from './wire/facts.ts';
export { fileFromDisk } from './wire/form.ts';
export { pasted } from './wire/pasted.ts';
