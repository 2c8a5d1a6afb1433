import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** About 8 ms and 4 MiB a password, so that importing some hundred people stays within a caller's patience. */
const COST: ScryptOptions = { N: 4096, r: 8, p: 1 };

/** What may be kept of a password: its salted hash; empty for no password. */
export async function hashPassword(password: string): Promise<string> {
  if (password === '') return '';
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$');
}
