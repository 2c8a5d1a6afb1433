/**
 * The part of the platform client that the bridge uses. `api.ts` also exports the operations that only operators
 * call.
 */
export { startAlarm } from './alarm.ts';
export type { CallOptions, Credentials, PlatformClient } from './caller.ts';
export type { AgentCredential } from './credentials.ts';
export type { Download } from './download.ts';
export { AUTH_PATTERN, failureOf } from './failure.ts';
export { type AgentOptions, questionText } from './gateways/agent-context.ts';
export { createLibrary } from './library.ts';
export { MAX_ERROR_BYTES, MAX_EVENT_CHARS, MAX_JSON_BYTES, MAX_STREAM_BYTES } from './limits.ts';
export { checkedType } from './media/images.ts';
export { createPlatform, type Platform, type PlatformOptions, type PlatformPorts } from './platform.ts';
export { oneLine } from './redact.ts';
export { delayBefore, parseRetryAfter, RETRY } from './retry.ts';
export { TextEmitter } from './stream/answer-text.ts';
export type { Page } from './wire/answers.ts';
export type { FileSource } from './wire/members.ts';
export type { Progress } from './wiring.ts';
