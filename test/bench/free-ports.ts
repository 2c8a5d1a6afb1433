import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems assign automatically (32,768 and above), so that a killed process finds its port free
 * when it starts again.
 */
const LOWEST = 20_000;
const ABOVE = 32_000;
const TRIES = 100;

/** Returns two ports that are free at present. */
export async function freePorts(): Promise<readonly [number, number]> {
  const one = await freePort();
  for (;;) {
    const other = await freePort();
    if (other !== one) return [one, other];
  }
}

async function freePort(): Promise<number> {
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
