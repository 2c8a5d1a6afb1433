/** The typed client of the agent platform; what the rest of the bridge uses of it. */
export type { CallOptions, Credentials, PlatformClient } from './caller.ts';
export type { AgentCredential } from './credentials/index.ts';
export type { Download } from './download.ts';
export { fileFromDisk } from './file-source.ts';
export type { AgentOptions } from './gateways/agent-context.ts';
export { defaultTimeouts, type Timeouts } from './limits.ts';
export { extractImageRefs } from './media/image-refs.ts';
export {
  type AnyOperation,
  CAPABILITIES,
  type Capability,
  type CredentialKind,
  type Operation,
} from './operation.ts';
export { api, operations } from './operations/index.ts';
export { createPlatform, type Platform, type PlatformOptions, type PlatformPorts } from './platform.ts';
export { clearFileMetadata, setFileMetadata } from './tasks/metadata.ts';
export { changeUser, deleteUsersById, deleteUsersByName, type UserPatch } from './tasks/users.ts';
export { waitBatch, waitIndexed } from './tasks/waits.ts';
export { findTypeByCode, workspaceFinder } from './tasks/workspaces.ts';
export { timeOf } from './time.ts';
export type { Page } from './wire/answers.ts';
export { bare, factsOf, toType, type WireFacts } from './wire/facts.ts';
export type { FileSource } from './wire/members.ts';
export type { Progress } from './wiring.ts';
