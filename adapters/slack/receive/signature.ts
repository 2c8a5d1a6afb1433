import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../config.ts';

/** Slack's advice for replays; it counts to both sides, so that no request of the future is kept for later (S13). */
const SKEW_SECONDS = 300;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

/** Headers of a request, before its body is read. */
interface Claimed {
  readonly timestamp: string;
  readonly signature: string;
}

/** The signature headers, where both are there, well formed and of this moment; else nothing is worth reading. */
export function readClaim(headers: IncomingHttpHeaders, now: number): Claimed | undefined {
  const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  if (!/^\d{1,12}$/.test(timestamp) || !SIGNATURE.test(signature)) return undefined;
  const skew = Math.abs(Math.floor(now / 1000) - Number(timestamp));
  return skew <= SKEW_SECONDS ? { timestamp, signature } : undefined;
}

/** Compares in constant time (S23). A blank secret signs nothing. */
export function isSigned({ timestamp, signature }: Claimed, body: Uint8Array, secret: Secret): boolean {
  const key = secret.reveal();
  if (key.trim() === '') return false;
  const due = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(due, Buffer.from(signature.slice('v0='.length), 'hex'));
}
