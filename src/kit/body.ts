import type { IncomingMessage } from 'node:http';
import type { Clock } from '../core/clock.ts';

/** The largest events of the channels are far below; whoever sends more is not heard out (S22). */
export const BODY_BYTES = 1024 * 1024;
/** Channels send a body at once; one that trickles in is cut off (S22). */
const BODY_MS = 10_000;
/** Bytes that all requests together may hold before it is known whose they are. */
const HELD_BYTES = 64 * 1024 * 1024;

export type Read =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' | 'too-slow' | 'too-many' | 'broken' };

/** Reads bodies whole, each bounded in size and time, all together bounded in memory. */
export function createBodyReader(clock: Clock): (request: IncomingMessage) => Promise<Read> {
  let held = 0;
  return async (request) => {
    if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES) return { kind: 'too-large' };
    const over = new AbortController();
    const late = clock.wait(BODY_MS, over.signal).then(
      (): Read => ({ kind: 'too-slow' }),
      (): Read => ({ kind: 'broken' }),
    );
    let own = 0;
    const take = (bytes: number): Read['kind'] => {
      own += bytes;
      held += bytes;
      if (own > BODY_BYTES) return 'too-large';
      return held > HELD_BYTES ? 'too-many' : 'whole';
    };
    try {
      return await Promise.race([collect(request, take), late]);
    } finally {
      held -= own;
      over.abort();
    }
  };
}

function collect(request: IncomingMessage, take: (bytes: number) => Read['kind']): Promise<Read> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => {
      const kind = take(chunk.byteLength);
      if (kind === 'whole') return void chunks.push(chunk);
      request.pause();
      resolve({ kind });
    });
    request.once('end', () => resolve({ kind: 'whole', bytes: Buffer.concat(chunks) }));
    for (const end of ['error', 'close']) request.once(end, () => resolve({ kind: 'broken' }));
  });
}
