/**
 * Holds many connections from one address (127.0.0.2). Each sends the beginning of a request and then, if the job says so,
 * one byte of the body a second. A connection that the bridge closes is opened again. Runs in a separate process, which
 * receives the job as its first message. Each further message requests the counts.
 */

import { connect, type Socket } from 'node:net';

export interface Crowding {
  readonly port: number;
  readonly connections: number;
  /** The request as raw text, without the rest of its body. */
  readonly beginning: string;
  /** True if a byte of the body follows each second. */
  readonly trickles: boolean;
  /** True if responses are read to their end. */
  readonly reads: boolean;
}

export interface Crowd {
  /** Connections that are open, or are being opened. */
  readonly open: number;
  /** Number of responses by status, and number of connections that were closed. */
  readonly answered: Readonly<Record<string, number>>;
}

const BYTE_EVERY_MS = 1_000;
/** Time until a closed connection is opened again, in milliseconds. */
const AGAIN_MS = 10_000;
/** Connections that are opened in each step at the beginning. */
const OPENED_AT_ONCE = 50;
const STEP_MS = 10;

function crowd({ port, connections, beginning, trickles, reads }: Crowding): () => Crowd {
  const open = new Set<Socket>();
  const answered: Record<string, number> = {};
  const count = (what: string): void => {
    answered[what] = (answered[what] ?? 0) + 1;
  };
  const add = (): void => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    open.add(socket);
    socket.on('connect', () => {
      socket.write(beginning);
      if (!trickles) return;
      const trickling = setInterval(() => socket.writable && socket.write('x'), BYTE_EVERY_MS);
      socket.once('close', () => clearInterval(trickling));
    });
    socket.once('data', (data) => {
      count(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 'other');
      if (!reads) socket.pause();
    });
    if (reads) socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      count('closed');
      setTimeout(add, AGAIN_MS);
    });
  };
  for (let nth = 0; nth < connections; nth += 1) setTimeout(add, Math.floor(nth / OPENED_AT_ONCE) * STEP_MS);
  return () => ({ open: open.size, answered });
}

if (process.send !== undefined) {
  process.once('message', (job) => {
    const counts = crowd(job as Crowding);
    process.on('message', () => process.send?.(counts()));
  });
}
