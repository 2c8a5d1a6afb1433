/**
 * The ids of a turn's trace. They follow from the turn's id, so that a process that takes a turn over continues its
 * trace, although nothing about the trace is stored.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { TurnId } from '../core/ids.ts';

/** Ids of the span of a turn, as lowercase hexadecimal numbers (W3C Trace Context). */
interface Ids {
  readonly traceId: string;
  readonly spanId: string;
}

/** A turn's id is a random UUID, which has the 128 bits of a trace id. Any other id is hashed. */
export function idsOf(turn: TurnId): Ids {
  const digits = turn.replaceAll('-', '').toLowerCase();
  const isUuid = /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(digits);
  const traceId = isUuid ? digits : createHash('sha256').update(turn).digest('hex').slice(0, 32);
  return { traceId, spanId: traceId.slice(16) };
}

/** The ids that the next span gets. */
let wanted: Ids | undefined;

/** Calls `start`, which synchronously starts a span without a parent. If the SDK uses `traceIds`, the span gets the ids. */
export function withIds<Started>(ids: Ids, start: () => Started): Started {
  wanted = ids;
  try {
    return start();
  } finally {
    wanted = undefined;
  }
}

/**
 * Makes the ids of spans, for the option `idGenerator` of an OpenTelemetry SDK. Random, except those of the span of a
 * turn. Uses `randomUUID`, which draws its random bytes in advance: `randomBytes` was 40 % of the cost of a span.
 */
export const traceIds = {
  /** Returns 32 hexadecimal digits. */
  generateTraceId: (): string => wanted?.traceId ?? randomUUID().replaceAll('-', ''),
  /** Returns 16 hexadecimal digits. */
  generateSpanId(): string {
    if (wanted !== undefined) return wanted.spanId;
    const uuid = randomUUID();
    // The other parts of a UUID contain digits that are not random.
    return uuid.slice(0, 4) + uuid.slice(24);
  },
};
