/** A proxy between a client and the sandbox that records every exchange. */

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';

export interface Exchange {
  readonly method: string;
  /** Path of the request, with its query. */
  readonly path: string;
  readonly requestType: string;
  readonly request: string;
  readonly status: number;
  readonly answerType: string;
  readonly answer: string;
}

export interface RecordingProxy {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const server = createServer((asked, answering) => {
    const { method = '', url: path = '', headers } = asked;
    const passed = request(target + path, { method, headers });
    const sent = buffer(asked.pipe(new PassThrough()));
    asked.pipe(passed);
    passed.on('error', (error) => answering.destroy(error));
    passed.on('response', async (answer) => {
      const { statusCode: status = 0 } = answer;
      const bytes = await buffer(answer);
      exchanges.push({
        method,
        path,
        requestType: headers['content-type'] ?? '',
        request: (await sent).toString('latin1'),
        status,
        answerType: answer.headers['content-type'] ?? '',
        answer: bytes.toString(),
      });
      answering.writeHead(status, { 'content-type': answer.headers['content-type'] ?? '' }).end(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
