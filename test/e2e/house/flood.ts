/** Sends a flood of requests from unknown senders, and measures how fast a known sender is answered meanwhile. */

import { connect, type Socket } from 'node:net';

/**
 * Allowed slowdown. A request may take 50 times as long as without a flood, or 100 ms if that is longer. On a quiet
 * machine, a request takes 2 ms, and 50 times that is 100 ms.
 */
const BUSY_MACHINE = 50;
const ANSWERED_MS = 100;
/**
 * Maximum number of measurements during a flood. One fast result is enough: other work on the machine slows only some
 * measurements, but a blocked bridge slows all of them.
 */
const LOOKS = 8;
/** Number of requests that the known sender sends in each measurement. */
const ASKED = 20;
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

export interface Flooded {
  /** Median time of the known sender's requests in the last measurement, in milliseconds. */
  readonly answeredIn: number;
  /** Allowed median time in the last measurement, in milliseconds. */
  readonly within: number;
  /** Statuses of the responses to unknown senders; `hung up` if the connection closed without a response. */
  readonly heard: ReadonlySet<number | 'hung up'>;
}

/**
 * Before each flood, also measures the time without a flood, because the machine may become busy between
 * measurements.
 */
export async function flood(flooding: Flood): Promise<Flooded> {
  const heard = new Set<number | 'hung up'>();
  let within = 0;
  let answeredIn = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS && answeredIn >= within; look += 1) {
    within = Math.max(ANSWERED_MS, BUSY_MACHINE * (await middleOf(ASKED, flooding.honest)));
    answeredIn = await underFlood(flooding, heard);
  }
  return { answeredIn, within, heard };
}

async function underFlood(
  { honest, address, beginning, dishonest }: Flood,
  heard: Set<number | 'hung up'>,
): Promise<number> {
  const trickles = Array.from({ length: TRICKLES }, () => trickle(address, beginning));
  let going = true;
  const repeat = async (ask: () => Promise<Response>): Promise<void> => {
    while (going) heard.add(await ask().then(heardOf, () => 'hung up' as const));
  };
  const floods = dishonest.map(repeat);
  const answeredIn = await middleOf(ASKED, honest);
  going = false;
  await Promise.all(floods);
  for (const socket of trickles) socket.destroy();
  return answeredIn;
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

/** Resolves with the median duration of several requests, in milliseconds. */
async function middleOf(count: number, work: (nth: number) => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const begun = performance.now();
    await work(nth);
    took.push(performance.now() - begun);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
}
