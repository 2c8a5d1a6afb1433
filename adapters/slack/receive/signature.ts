import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../config.ts';

/**
 * Maximum age of a request, in seconds: Slack recommends five minutes, against replays. Time stamps in the future have
 * the same limit, so that a recorded request cannot be used later (S13: replayed requests).
 */
const SKEW_SECONDS = 300;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

/** The headers that carry the signature. */
interface Claimed {
  readonly timestamp: string;
  readonly signature: string;
}

/**
 * Returns the signature headers. Returns undefined if one is missing, malformed or too old; then the body need not be
 * read.
 */
export function readClaim(headers: IncomingHttpHeaders, now: number): Claimed | undefined {
  const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  if (!/^\d{1,12}$/.test(timestamp) || !SIGNATURE.test(signature)) return undefined;
  const skew = Math.abs(Math.floor(now / 1000) - Number(timestamp));
  return skew <= SKEW_SECONDS ? { timestamp, signature } : undefined;
}

/**
 * True if the signature matches the body. Compares in constant time (S23: guessing by timing). A blank secret matches
 * nothing.
 */
export function isSigned({ timestamp, signature }: Claimed, body: Uint8Array, secret: Secret): boolean {
  const key = secret.reveal();
  if (key.trim() === '') return false;
  const due = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(due, Buffer.from(signature.slice('v0='.length), 'hex'));
}
