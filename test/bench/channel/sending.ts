/** Sends requests at a steady pace from a separate process, whose timing no other work delays. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Pace {
  readonly aSecond: number;
  readonly seconds: number;
}

export interface Sent {
  /** Milliseconds from the planned time of each request to its response. */
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

/** Sends each request at its planned time, even if earlier responses are late. */
async function sendSteadily({ aSecond, seconds }: Pace, requestOf: (nth: number) => Posted): Promise<Sent> {
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

/** Runs a sender's file in a new process with this job. Rejects if the process ends without a result. */
export async function runSender(file: URL, job: Pace): Promise<Sent> {
  // The sender must not inherit the Node flags of the bench.
  const sender = fork(file, { execArgv: [] });
  sender.send(job);
  const over = new AbortController();
  const ended = once(sender, 'exit', { signal: over.signal }).then(([code]) => {
    throw new Error(`The sender ended with ${code} before it told what it had sent.`);
  });
  const told = once(sender, 'message', { signal: over.signal }).then(([sent]) => sent as Sent);
  return Promise.race([told, ended]).finally(() => over.abort());
}

/**
 * Runs in the sender's process: receives the job, sends the requests and reports. Returns at once if the process was
 * not forked.
 */
export async function sendAsTold<Job extends Pace>(
  requestsOf: (job: Job) => (nth: number) => Posted,
): Promise<void> {
  if (process.send === undefined) return;
  const [job] = (await once(process, 'message')) as [Job];
  const sent = await sendSteadily(job, requestsOf(job));
  // Disconnects only after the message was sent, because disconnecting earlier loses a large message.
  process.send(sent, undefined, undefined, () => process.disconnect());
}
