/** Sends a flood of requests from unknown senders, while a known sender must be answered. */

import { connect, type Socket } from 'node:net';

/** Number of requests that the known sender sends during the flood. */
const ASKED = 5;
/** Number of connections that send only the beginning of a request and then stay open. */
const TRICKLES = 200;

export interface Flood {
  /** Sends a request of the known sender. Throws if the response is wrong. */
  honest(nth: number): Promise<void>;
  readonly address: string;
  /** The beginning of a request, without its end. */
  readonly beginning: string;
  /** Functions that send requests of unknown senders. All run concurrently and repeatedly. */
  readonly dishonest: readonly (() => Promise<Response>)[];
}

/**
 * Resolves once the known sender has been answered five times during the flood. Resolves with the statuses of the
 * responses to unknown senders; `hung up` if the connection closed without a response. How fast the known sender is
 * answered is measured by the bench (target P19).
 */
export async function flood({ honest, address, beginning, dishonest }: Flood) {
  const heard = new Set<number | 'hung up'>();
  const trickles = Array.from({ length: TRICKLES }, () => trickle(address, beginning));
  let going = true;
  const repeat = async (ask: () => Promise<Response>): Promise<void> => {
    while (going) heard.add(await ask().then(heardOf, () => 'hung up' as const));
  };
  const floods = dishonest.map(repeat);
  for (let nth = 0; nth < ASKED; nth += 1) await honest(nth);
  going = false;
  await Promise.all(floods);
  for (const socket of trickles) socket.destroy();
  return heard;
}

async function heardOf(response: Response): Promise<number> {
  await response.arrayBuffer().catch(() => undefined);
  return response.status;
}

function trickle(address: string, beginning: string): Socket {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(beginning);
  return socket;
}
