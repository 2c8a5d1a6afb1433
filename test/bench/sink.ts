/**
 * A server that accepts any body and answers like the platform. It runs in a separate process, so that its CPU time is
 * not measured.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

const SCRIPT = `
const { createServer } = require('node:http');
const body = JSON.stringify({ success: true, msg: '', data: { access_token: 'token', expires_in: 1440, fileId: '4493041505002323001', fileName: 'a', userName: 'a' } });
const server = createServer((request, response) => {
  request.on('data', () => {}).on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
`;

export interface Sink {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const child = spawn(process.execPath, ['--eval', SCRIPT], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${String(port)}`,
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
