/** A scripted agent platform that logs its questions and answers. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { answerOf, type Saying, sayingsIn } from './saying.ts';

/** Speed of an answer that is held. */
const SIP = { chars: 8, everyMs: 250 };
const CHAT = '/webapi/lite_api/v2/api/chat-with-bot/chat';

/** One question as the platform received it. */
export interface Asking {
  readonly id: string;
  readonly at: number;
  /** The complete text of the request. */
  readonly request: string;
  /** Characters of the answer sent so far. */
  sent: number;
  /** Pauses between words that took too long, for example on a busy machine, with the time of their end. */
  readonly lates: { readonly at: number; readonly ms: number }[];
  /** Time at which the answer was complete, was broken off, or was cancelled by the bridge. */
  endedAt?: number;
  end?: 'whole' | 'broken' | 'cancelled';
}

export interface ScriptedPlatform {
  readonly url: string;
  readonly askings: Asking[];
  /** Lets a held answer finish. */
  release(id: string): void;
  close(): Promise<void>;
}

export async function startPlatform(): Promise<ScriptedPlatform> {
  const askings: Asking[] = [];
  const released = new Set<string>();
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    // Sign-ins for describing sources never get an answer, so that sources are always late.
    if (request.url === CHAT) void answer(request, response, { askings, released });
    else if (request.method !== 'POST') response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    askings,
    release: (id) => void released.add(id),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  readonly askings: Asking[];
  readonly released: ReadonlySet<string>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { askings, released }: Asked,
): Promise<void> {
  const body = await bodyOf(request);
  const saying = sayingsIn(lastMessage(body)).at(-1);
  const asking: Asking = { id: saying?.id ?? '', at: Date.now(), request: body, sent: 0, lates: [] };
  askings.push(asking);
  response.on('close', () => end(asking, 'cancelled'));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const isFirst = askings.filter(({ id }) => id === asking.id).length === 1;
  if (saying?.silentMs !== undefined && isFirst) await pause(saying.silentMs);
  if (saying !== undefined && !response.destroyed) await say(saying, asking, { response, released });
  if (response.destroyed) return;
  end(asking, asking.sent > 0 && saying?.cutAt === undefined ? 'whole' : 'broken');
  if (saying?.cutAt === undefined) response.end('data: [DONE]\n\n');
  else response.socket?.resetAndDestroy();
}

function end(asking: Asking, how: NonNullable<Asking['end']>): void {
  if (asking.end !== undefined) return;
  asking.end = how;
  asking.endedAt = Date.now();
}

interface Into extends Pick<Asked, 'released'> {
  readonly response: ServerResponse;
}

async function say(saying: Saying, asking: Asking, { response, released }: Into): Promise<void> {
  const whole = answerOf(saying);
  const text = saying.cutAt === undefined ? whole : whole.slice(0, saying.cutAt);
  const size = Math.ceil(whole.length / Math.max(1, Math.round(saying.ms / saying.everyMs)));
  if (saying.source === true) response.write(`event: tool_result\ndata: ${JSON.stringify(RESULT)}\n\n`);
  while (asking.sent < text.length && !response.destroyed) {
    const isHeld = saying.held === true && asking.sent * 2 >= text.length && !released.has(saying.id);
    const rest = text.slice(asking.sent);
    const content = isHeld ? rest.slice(0, -1).slice(0, SIP.chars) : rest.slice(0, size);
    if (content !== '') response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    asking.sent += content.length;
    if (asking.sent < text.length) await breathe(isHeld ? SIP.everyMs : saying.everyMs, asking);
  }
}

async function breathe(ms: number, { lates }: Asking): Promise<void> {
  const since = Date.now();
  await pause(ms);
  const at = Date.now();
  if (at - since > ms) lates.push({ at, ms: at - since - ms });
}

/** A passage of a document in a tool result. */
const RESULT = {
  tool_result: [
    {
      category: 'tool',
      document_id: '1795229730174000000',
      title: 'Handbook',
      content: 'Years.',
      score: 0.7,
    },
  ],
};

function lastMessage(body: string): string {
  const { messages } = JSON.parse(body) as { messages: readonly { content: unknown }[] };
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
