import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports from 20,000 to 32,000 are below those that systems assign automatically (from 32,768). A restarted process
 * therefore finds its port still free.
 */
const LOWEST = 20_000;
const ABOVE = 32_000;
const TRIES = 100;

/** Returns two ports that are currently free. */
export async function freePorts(): Promise<readonly [number, number]> {
  const one = await freePort();
  for (;;) {
    const other = await freePort();
    if (other !== one) return [one, other];
  }
}

export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(LOWEST, ABOVE);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found between ${LOWEST} and ${ABOVE}.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}
