/** The agent platform's client as the bridge uses it. The operations that only operators call are behind `api.ts`. */
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
