/**
 * Sends requests of strangers at a steady rate over raw sockets, because Node's client alone would use more CPU time than
 * the bridge. Runs in a separate process, which receives the job as its first message.
 */

import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Flooding {
  readonly port: number;
  /**
   * Complete requests as raw text. They are sent one after another; after the last one, the first one follows again.
   */
  readonly requests: readonly string[];
  readonly aSecond: number;
}

export interface Flooded {
  readonly seconds: number;
  readonly sent: number;
  /** Number of responses by status, and number of connections that were closed. */
  readonly answered: Readonly<Record<string, number>>;
}

/** Number of connections. Each sends a request only after the response to its previous request. */
const SOCKETS = 256;
const TICK_MS = 2;
const SECOND_MS = 1_000;

class Sender {
  readonly #flooding: Flooding;
  readonly #idle: Socket[] = [];
  readonly #all = new Set<Socket>();
  readonly #answered: Record<string, number> = {};
  #sent = 0;
  #over = false;

  constructor(flooding: Flooding) {
    this.#flooding = flooding;
    for (let nth = 0; nth < SOCKETS; nth += 1) this.#open();
  }

  async run(signal: AbortSignal): Promise<Flooded> {
    const { aSecond, requests } = this.#flooding;
    const begun = performance.now();
    // Requests that could not be sent in time are left out, so a short stall causes no burst.
    for (let planned = 0; !signal.aborted; ) {
      const due = Math.floor(((performance.now() - begun) / SECOND_MS) * aSecond);
      for (; planned < due && this.#idle.length > 0; planned += 1) {
        this.#idle.shift()?.write(requests[planned % requests.length] ?? '');
        this.#sent += 1;
      }
      planned = due;
      await pause(TICK_MS);
    }
    const seconds = (performance.now() - begun) / SECOND_MS;
    this.#over = true;
    for (const socket of this.#all) socket.destroy();
    return { seconds, sent: this.#sent, answered: this.#answered };
  }

  #count(what: string): void {
    this.#answered[what] = (this.#answered[what] ?? 0) + 1;
  }

  #open(): void {
    const socket = connect(this.#flooding.port, '127.0.0.1').setEncoding('latin1').setNoDelay();
    this.#all.add(socket);
    socket.on('connect', () => this.#idle.push(socket));
    socket.on('data', (text: string) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      if (status === undefined) return;
      this.#count(status);
      this.#idle.push(socket);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#all.delete(socket);
      if (this.#over) return;
      this.#count('closed');
      const at = this.#idle.indexOf(socket);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#open();
    });
  }
}

if (process.send !== undefined) {
  const over = new AbortController();
  process.once('message', (job) => {
    process.once('message', () => over.abort());
    const sender = new Sender(job as Flooding);
    void sender
      .run(over.signal)
      .then((flooded) => process.send?.(flooded, undefined, undefined, () => process.exit(0)));
  });
}
