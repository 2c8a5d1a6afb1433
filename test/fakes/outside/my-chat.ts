/**
 * Writes the example channel of docs/channels.md to files, and runs a chat server for that channel. The server shows
 * messages and refuses senders without the token.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fenced, readPages } from '../../docs/pages.ts';

export const TOKEN = 'a token for tests';
export const page = readPages().find(({ path }) => path === 'docs/channels.md')?.text ?? '';

/**
 * Chooses the function `createWriter` of docs/channels.md. `own`: the function in `channel.js`. `shorter`: the
 * shorter function that may replace it. `messages`: the function for a chat that limits the length of a message.
 */
export type Writer = 'own' | 'shorter' | 'messages';

/**
 * Writes the example package of docs/channels.md into the folder. Returns the path of its module.
 * @param replace texts in the code, each with its replacement; throws if one of them does not occur
 */
export function writeMyChat(
  folder: string,
  writer: Writer = 'own',
  replace: readonly (readonly [string, string])[] = [],
): string {
  const home = join(folder, 'my-chat');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), fenced(page, 'json'));
  const module = join(home, 'channel.js');
  const code = fenced(page, 'js my-chat/channel.js');
  const shorter = () => fenced(page, `js my-chat/${writer === 'shorter' ? 'writer' : 'messages'}.js`);
  const whole = writer === 'own' ? code : code.replace(/^function createWriter[\s\S]*?^}\n/m, shorter);
  const changed = replace.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The example contains no "${from}".`);
    return text.replace(from, () => to);
  }, whole);
  writeFileSync(module, changed);
  return module;
}

export interface ChatServer {
  readonly url: string;
  /** Texts of the posted messages, by message id. */
  readonly messages: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export async function startChat(): Promise<ChatServer> {
  const messages = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const id = decodeURIComponent(request.url?.replace(/^\/messages\//, '') ?? '');
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
    if (request.method === 'DELETE') messages.delete(id);
    else messages.set(id, JSON.parse(await textOf(request)).text);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
