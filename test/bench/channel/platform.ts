/**
 * An agent platform that says what a question asks for, at the pace it asks for: a process of its own, with the one
 * route that an agent behind an API key needs. `node platform.ts PORT`; prints a line when it listens.
 *
 * A question holds `say {"ms":10000,"everyMs":200,"chars":33,"shape":"lines"}`. Each answer's begin and end, in
 * milliseconds since the epoch, are at `/times` by the question's `id`.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Saying, sayingIn, textOf } from './saying.ts';

const PATH = '/webapi/lite_api/v2/api/chat-with-bot/chat';

interface Times {
  firstAt: number;
  endAt?: number;
  chars: number;
}

const times = new Map<string, Times>();

const server = createServer((request, response) => {
  response.on('error', () => undefined);
  if (request.url === '/times') {
    response.end(JSON.stringify(Object.fromEntries(times)));
    return;
  }
  if (request.url !== PATH) {
    response.writeHead(404).end();
    return;
  }
  void answer(request, response);
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => process.stdout.write('listening\n'));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const saying = sayingIn(await bodyOf(request));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (saying !== undefined) await say(saying, response);
  response.end('data: [DONE]\n\n');
}

async function say(saying: Saying, response: ServerResponse): Promise<void> {
  const text = textOf(saying);
  const pieces = Math.max(1, Math.round(saying.ms / saying.everyMs));
  const size = Math.ceil(text.length / pieces);
  const begun = Date.now();
  const noted: Times = { firstAt: begun, chars: text.length };
  times.set(saying.id, noted);
  for (let at = 0, nth = 1; at < text.length; at += size, nth += 1) {
    const delta = { choices: [{ delta: { content: text.slice(at, at + size) } }] };
    response.write(`data: ${JSON.stringify(delta)}\n\n`);
    await pause(Math.max(0, begun + nth * saying.everyMs - Date.now()));
  }
  noted.endAt = Date.now();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
