/**
 * A simulated agent platform in a separate process. It serves two agents: one with an API key, and one of the Open API,
 * whose references arrive late or never. `node platform.ts PORT` prints a line once it listens. Each question describes
 * its answer and pace, such as `say {"ms":10000,"everyMs":200,"chars":33,"shape":"lines"}`. `/times` returns the start
 * and end of each answer in milliseconds since the epoch, by the question's `id`. `/end` ends the running answers early,
 * one every 20 ms, oldest first. `/loop` returns the delay of the event loop since the last request for it.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { watchLoop } from '../usage.ts';
import { endOf, type Saying, sayingIn, textOf } from './saying.ts';

const PATH = '/webapi/lite_api/v2/api/chat-with-bot/chat';
const OPEN_PATH = '/openapi/chat/expert';
const TOKEN_PATH = '/openapi/auth/client_with_account';
const REFERENCES = /^\/openapi\/chat\/record\/(late|never)-[^/]+\/reference$/;
const LATE_MS = 2_000;
const END_EVERY_MS = 20;

interface Times {
  firstAt: number;
  endAt?: number;
  chars: number;
}

const loopDelay = watchLoop();
const times = new Map<string, Times>();
/** Time from which answers end early, in milliseconds since the epoch. */
let endsFrom = Number.POSITIVE_INFINITY;

const server = createServer((request, response) => {
  response.on('error', () => undefined);
  if (request.url === '/times') {
    response.end(JSON.stringify(Object.fromEntries(times)));
    return;
  }
  if (request.url === '/loop') {
    response.end(String(loopDelay()));
    return;
  }
  if (request.url === '/end') {
    endsFrom = Date.now();
    response.end();
    return;
  }
  if (request.url === TOKEN_PATH) sendJson(response, { data: { access_token: 'token', expires_in: 600 } });
  else if (request.url === PATH || request.url === OPEN_PATH) void answer(request, response);
  else {
    const [, when] = REFERENCES.exec(request.url ?? '') ?? [];
    if (when === undefined) response.writeHead(404).end();
    if (when === 'late') void sendReferences(response);
  }
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => process.stdout.write('listening\n'));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const saying = sayingIn(await bodyOf(request));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (saying?.references !== undefined)
    response.write(`data: ${JSON.stringify({ chatRecordId: `${saying.references}-${saying.id}` })}\n\n`);
  if (saying !== undefined) await say(saying, response);
  response.end('data: [DONE]\n\n');
}

async function say(saying: Saying, response: ServerResponse): Promise<void> {
  const text = textOf(saying);
  const pieces = Math.max(1, Math.round(saying.ms / saying.everyMs));
  const size = Math.ceil(text.length / pieces);
  const begun = Date.now();
  const noted: Times = { firstAt: begun, chars: text.length };
  const endDelayMs = times.size * END_EVERY_MS;
  times.set(saying.id, noted);
  const write = (content: string) =>
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
  for (let at = 0, nth = 1; at < text.length; at += size, nth += 1) {
    if (Date.now() >= endsFrom + endDelayMs) {
      write(endOf(saying));
      break;
    }
    write(text.slice(at, at + size));
    await pause(Math.max(0, begun + nth * saying.everyMs - Date.now()));
  }
  noted.endAt = Date.now();
}

async function sendReferences(response: ServerResponse): Promise<void> {
  await pause(LATE_MS);
  const url = '/file/manual.pdf';
  sendJson(response, {
    data: [{ title: 'Manual', content: 'Two years.', score: 0.9, type: 'document', url }],
  });
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
