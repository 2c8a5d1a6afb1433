/** Requests at a steady pace, from a process of its own, so that nothing else delays their clock. */

import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Pace {
  readonly aSecond: number;
  readonly seconds: number;
}

export interface Sent {
  /** From the moment each was due to its acknowledgement, milliseconds. */
  readonly times: readonly number[];
  readonly refused: number;
}

export interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const SOCKETS = 200;
const SECOND_MS = 1_000;

/** Each is sent when it is due, however late the answers before are. */
export async function sendSteadily(
  { aSecond, seconds }: Pace,
  requestOf: (nth: number) => Posted,
): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const times: number[] = [];
  let refused = 0;
  const begun = performance.now();
  const sent: Promise<void>[] = [];
  for (let nth = 0; nth < aSecond * seconds; nth += 1) {
    const due = begun + (nth / aSecond) * SECOND_MS;
    const early = due - performance.now();
    if (early > 1) await pause(early);
    sent.push(
      post(requestOf(nth), agent).then((status) => {
        times.push(performance.now() - due);
        if (status !== 200) refused += 1;
      }),
    );
  }
  await Promise.all(sent);
  agent.destroy();
  return { times, refused };
}

function post({ url, headers, body }: Posted, agent: Agent): Promise<number> {
  const length = { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...headers, ...length }, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
