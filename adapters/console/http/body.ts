import type { IncomingMessage } from 'node:http';
import { within } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import { HttpRefusal } from '../refusal.ts';

interface BodyLimit {
  readonly bytes: number;
  /** Maximum time for the whole body, in milliseconds. */
  readonly ms: number;
  /** Name of the body's content, for sentences such as "That file is too large". */
  readonly what: string;
}

/** Reads the whole body. @throws HttpRefusal 413 if it is too large, 408 if it takes too long */
export async function readBody(request: IncomingMessage, limit: BodyLimit, clock: Clock): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit.bytes) throw tooLarge(limit);
  const body = await within(collect(request, limit), limit.ms, clock);
  if (body !== undefined) return body;
  throw new HttpRefusal(408, 'too-slow', `The ${limit.what} did not arrive in time. Please try again.`);
}

async function collect(request: IncomingMessage, limit: BodyLimit): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Read and discard what exceeds the limit, because a browser shows the response only after sending the whole body.
    for await (const chunk of request) {
      size += chunk.length;
      if (size <= limit.bytes) chunks.push(chunk);
    }
  } catch {
    throw new HttpRefusal(400, 'broken-off', BROKEN_OFF);
  }
  if (size > limit.bytes) throw tooLarge(limit);
  return Buffer.concat(chunks);
}

function tooLarge({ bytes, what }: BodyLimit): HttpRefusal {
  const size = bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`;
  return new HttpRefusal(413, 'too-large', `That ${what} is too large: up to ${size} can be sent.`);
}

/**
 * Limits how much work of requests runs at the same time, such as reading their bodies. Returns a function that waits for
 * a permit and then runs the work. @throws HttpRefusal 503 if too many requests are waiting
 */
export function createPermits(atOnce: number, waiting: number) {
  const queue: (() => void)[] = [];
  let free = atOnce;
  return async <T>(request: Pick<IncomingMessage, 'destroyed'>, work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else if (queue.length < waiting) await new Promise<void>((resolve) => queue.push(resolve));
    else throw new HttpRefusal(503, 'busy', BUSY, 10);
    try {
      // The client may have disconnected while it waited.
      if (request.destroyed) throw new HttpRefusal(400, 'broken-off', BROKEN_OFF);
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

const BUSY = 'Many files are being sent right now. Please try again in a minute.';
const BROKEN_OFF = 'The request was interrupted. Please try again.';
