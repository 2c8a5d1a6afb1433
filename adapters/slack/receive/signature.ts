import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../config.ts';

/**
 * Maximum age of a request. Slack recommends five minutes, to prevent replays. Also limits time stamps in the future,
 * so that a request cannot be stored and used later (S13).
 */
const SKEW_SECONDS = 300;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

/** Signature headers of a request, before its body is read. */
interface Claimed {
  readonly timestamp: string;
  readonly signature: string;
}

/** Returns the signature headers; undefined if one is missing, malformed or too old, so the body need not be read. */
export function readClaim(headers: IncomingHttpHeaders, now: number): Claimed | undefined {
  const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  if (!/^\d{1,12}$/.test(timestamp) || !SIGNATURE.test(signature)) return undefined;
  const skew = Math.abs(Math.floor(now / 1000) - Number(timestamp));
  return skew <= SKEW_SECONDS ? { timestamp, signature } : undefined;
}

/** Compares in constant time (S23). A blank secret matches no signature. */
export function isSigned({ timestamp, signature }: Claimed, body: Uint8Array, secret: Secret): boolean {
  const key = secret.reveal();
  if (key.trim() === '') return false;
  const due = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(due, Buffer.from(signature.slice('v0='.length), 'hex'));
}
