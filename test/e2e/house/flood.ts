/** A flood of requests of unknown senders, and how quickly a known sender is answered meanwhile. */

import { connect, type Socket } from 'node:net';

/** What 100 ms are on a quiet machine, where a request takes 2 ms; on a busy one all takes longer. */
const BUSY_MACHINE = 50;
const ANSWERED_MS = 100;
/** Looks at a flood: other work of the machine may fill some of them, a bridge that is held up fills all. */
const LOOKS = 8;
/** Honest requests of one look. */
const ASKED = 20;
/** Connections that send the beginning of a request, and nothing more. */
const TRICKLES = 200;

export interface Flood {
  /** An honest request, which throws where it is not answered as it should be. */
  honest(nth: number): Promise<void>;
  readonly address: string;
  /** Of a request that never ends. */
  readonly beginning: string;
  /** One dishonest request after the other, each resolving with its status; they go on side by side. */
  readonly dishonest: readonly (() => Promise<Response>)[];
}

export interface Flooded {
  /** Milliseconds, the middle of many, in the last look. */
  readonly answeredIn: number;
  /** Milliseconds that it may take in that look. */
  readonly within: number;
  /** What the dishonest ones heard. */
  readonly heard: ReadonlySet<number | 'hung up'>;
}

/** Each look compares with a quiet moment right before it: a machine may become busy between two looks. */
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

/** The middle of how long each of so many took, in milliseconds. */
async function middleOf(count: number, work: (nth: number) => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const begun = performance.now();
    await work(nth);
    took.push(performance.now() - begun);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
}
