/** The typed client of the agent platform; what the rest of the bridge uses of it. */
export type { AgentCredential } from './credentials/index.ts';
export type { AgentOptions } from './gateways/agent-context.ts';
export { defaultTimeouts, type Timeouts } from './limits.ts';
export { extractImageRefs } from './media/image-refs.ts';
export type { AnyOperation, Capability, CredentialKind, Operation } from './operation.ts';
export { operations } from './operations/index.ts';
export { createPlatform, type Platform, type PlatformOptions, type PlatformPorts } from './platform.ts';
