import type { Clock } from '../clock.ts';
import type { Reply } from '../http/reply.ts';
import { withPings } from './pings.ts';

/** A streamed answer; streams of events get pings while they are silent. */
export function streamReply(
  type: string | undefined,
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  signal: AbortSignal,
): Reply {
  const eventStream = type?.startsWith('text/event-stream') ?? false;
  return {
    status: 200,
    headers: { ...(type === undefined ? {} : { 'content-type': type }), 'cache-control': 'no-cache' },
    body: eventStream ? withPings(body, clock, signal) : body,
  };
}
