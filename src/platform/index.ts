/**
 * The part of the platform client that the bridge uses. `api.ts` also exports the operations that only operators
 * call.
 */
export type { CallOptions, Credentials, PlatformClient } from './caller.ts';
export type { AgentCredential } from './credentials.ts';
export type { Download } from './download.ts';
export type { AgentOptions } from './gateways/agent-context.ts';
export { createLibrary } from './library.ts';
export { defaultTimeouts, type Timeouts } from './limits.ts';
export { extractImageRefs } from './media/image-refs.ts';
export { createPlatform, type Platform, type PlatformOptions, type PlatformPorts } from './platform.ts';
export type { Page } from './wire/answers.ts';
export type { FileSource } from './wire/members.ts';
export type { Progress } from './wiring.ts';
