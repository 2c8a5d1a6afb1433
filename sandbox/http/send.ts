import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { systemClock } from '../clock.ts';
import type { Reply } from './reply.ts';

/** Milliseconds for which a refused upload is read on, so that the sender gets to see the refusal. */
const DRAIN_MS = 1_000;

/** Writes a reply with back-pressure. An error while streaming destroys the connection: the cut is what the caller sees. */
export async function send(response: ServerResponse, reply: Reply, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  if (typeof reply.body === 'string' || reply.body instanceof Uint8Array) {
    response.writeHead(reply.status, { 'content-length': Buffer.byteLength(reply.body), ...reply.headers });
    response.end(reply.body);
    if (reply.headers.connection === 'close') closeSoon(response);
    return;
  }
  response.writeHead(reply.status, { ...reply.headers });
  response.flushHeaders();
  try {
    await stream(response, reply.body, signal);
    response.end();
    if (!response.writableFinished) await finished(response, signal);
  } catch {
    response.destroy();
  }
}

async function stream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of body) {
    if (signal.aborted) return;
    if (!response.write(chunk)) await once(response, 'drain', { signal }).catch(() => undefined);
  }
}

async function finished(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(response, 'finish', { signal }).catch(() => undefined);
}

function closeSoon(response: ServerResponse): void {
  const request = response.req;
  request.resume();
  const closed = new AbortController();
  request.on('close', () => closed.abort());
  void systemClock.sleep(DRAIN_MS, closed.signal).then(() => request.destroy());
}
