import { formatJson } from './json.ts';
import type { Refusal } from './refusal.ts';

/** What a route answers. A body that is iterable is streamed; each chunk is one event of the stream. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Which envelope a route speaks (platform contract GEN-3, GEN-4); `plain` routes have none. */
export type Face = 'lite' | 'open' | 'plain';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonReply(body: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': JSON_TYPE }, body: formatJson(body) };
}

export const liteEnvelope = (data: unknown, code = 200, message = 'success') => ({ code, message, data });
export const openEnvelope = (data: unknown, msg: string | null = '') => ({ success: true, msg, data });

export const liteReply = (data: unknown): Reply => jsonReply(liteEnvelope(data));
export const openReply = (data: unknown): Reply => jsonReply(openEnvelope(data));

export function refusalBody(face: Face, refusal: Refusal): unknown {
  if (face === 'open') return { success: false, msg: refusal.message, data: null };
  return { code: refusal.code, message: refusal.message, data: null };
}
