/** Measures how much more CPU time a call of the typed client needs than a bare undici request to the same server. */

import { Agent, request } from 'undici';
import { systemClock } from '../../src/clock.ts';
import { api, createPlatform, type PlatformClient } from '../../src/platform/api.ts';
import { Secret } from '../../src/secret.ts';
import { quiet } from '../fakes/quiet.ts';
import type { Figure } from './figure.ts';
import { startSink } from './sink.ts';

const CALLS = 2000;
const ROUNDS = 5;
const MAX_MS = 0.3;

/** Returns the CPU milliseconds per call. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < CALLS; done += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / CALLS;
}

export async function run(): Promise<Figure[]> {
  const sink = await startSink();
  const platform = createPlatform(
    { baseUrl: sink.url },
    { clock: systemClock, log: quiet, random: Math.random },
  );
  const agent = new Agent();
  try {
    const client = platform.client({ open: { kind: 'idp', token: async () => new Secret('token') } });
    const pairs: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const bare = await cost(() => bareCall(sink.url, agent));
      const typed = await cost(() => typedCall(client));
      // Leaves out the first round, which warms up both clients.
      if (round > 0) pairs.push(typed - bare);
    }
    const value = pairs.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
    return [
      {
        name: 'one call of the typed client beyond a bare request',
        value: Math.round(value * 1000) / 1000,
        unit: 'ms CPU',
        target: `<= ${MAX_MS}`,
        ok: value <= MAX_MS,
      },
    ];
  } finally {
    await platform.close();
    await agent.close();
    await sink.stop();
  }
}

const typedCall = (client: PlatformClient): Promise<unknown> =>
  client.call(api.getUser, { userCode: 'anna' });

async function bareCall(url: string, dispatcher: Agent): Promise<unknown> {
  const { body } = await request(`${url}/v1/openapi/user/anna`, { dispatcher });
  return body.json();
}
