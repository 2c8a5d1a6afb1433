import type { IncomingMessage } from 'node:http';
import { type Clock, within } from '../../../src/kit.ts';
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
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit.bytes) return chunks.push(chunk);
    // Read and discard the rest of the body, because a browser shows the response only after sending the whole body.
    request.removeAllListeners('data').resume();
    return reject(tooLarge(limit));
  });
  request.on('end', () => resolve(Buffer.concat(chunks)));
  for (const end of ['error', 'close'])
    request.on(end, () =>
      reject(new HttpRefusal(400, 'broken-off', 'The request was interrupted. Please try again.')),
    );
  return promise;
}

function tooLarge({ bytes, what }: BodyLimit): HttpRefusal {
  const size = bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`;
  return new HttpRefusal(413, 'too-large', `That ${what} is too large: up to ${size} can be sent.`);
}

/** Limits how many request bodies are read at the same time. */
interface Permits {
  /** Waits for a permit. @throws HttpRefusal 503 if too many requests are waiting */
  take(request: IncomingMessage): Promise<void>;
  readonly release: () => void;
}

export function createPermits(atOnce: number, waiting: number): Permits {
  const queue: (() => void)[] = [];
  let free = atOnce;
  const release = () => {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    release,
    async take(request) {
      if (free > 0) {
        free -= 1;
        return;
      }
      if (queue.length >= waiting) {
        throw new HttpRefusal(
          503,
          'busy',
          'Many files are being sent right now. Please try again in a minute.',
          10,
        );
      }
      await new Promise<void>((resolve) => queue.push(resolve));
      // The client may have disconnected while it waited; then free the permit for the next request.
      if (!request.destroyed) return;
      release();
      throw new HttpRefusal(400, 'broken-off', 'The request was interrupted. Please try again.');
    },
  };
}
