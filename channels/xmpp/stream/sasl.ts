/** Password mechanisms of SASL: SCRAM (RFC 5802, RFC 7677) and, only on a safe connection, PLAIN (RFC 4616). */

import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

/** Hashes by mechanism, strongest first. */
const scram = [
  ['SCRAM-SHA-512', 'sha512', 64],
  ['SCRAM-SHA-256', 'sha256', 32],
  ['SCRAM-SHA-1', 'sha1', 20],
] as const;

type Scram = (typeof scram)[number];

/** Minimum iterations that RFC 7677 requires of a server. With fewer, the password could be guessed from the proof. */
const LEAST_ITERATIONS = 4_096;
/** Maximum iterations, so that a server cannot occupy the processor. */
const MOST_ITERATIONS = 1_000_000;

export interface Mechanism {
  readonly name: string;
  /** The first message, which goes with the choice of the mechanism. */
  readonly first: string;
  /** Returns the response to the server's challenge. Rejects if the challenge is invalid. */
  respond(challenge: string): Promise<string>;
  /** Throws if the server has not proved that it knows the password. */
  verify(success: string): void;
}

/**
 * Returns the best mechanism that the server offers; undefined if none may be used.
 * @param isSafe true if nobody on the network can read the connection
 */
export function mechanismFor(
  offered: readonly string[],
  user: string,
  password: string,
  isSafe: boolean,
): Mechanism | undefined {
  const found = scram.find(([name]) => offered.includes(name));
  if (found !== undefined) return scramMechanism(found, user, password);
  if (!isSafe || !offered.includes('PLAIN')) return undefined;
  const respond = () => Promise.reject(new Error('The server sent a challenge for PLAIN.'));
  return { name: 'PLAIN', first: `\0${user}\0${password}`, respond, verify: () => undefined };
}

function scramMechanism([name, hash, length]: Scram, user: string, password: string): Mechanism {
  const nonce = randomBytes(18).toString('base64');
  const bare = `n=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`;
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();
  let due: Buffer | undefined;
  return {
    name,
    first: `n,,${bare}`,
    async respond(challenge) {
      const { r = '', s = '', i = '' } = fieldsOf(challenge);
      const iterations = Number(i);
      const isSound =
        r.startsWith(nonce) && r.length > nonce.length && s !== '' && !challenge.startsWith('m=');
      if (!isSound || !(iterations >= LEAST_ITERATIONS && iterations <= MOST_ITERATIONS))
        throw new Error(`The server's challenge for ${name} is invalid.`);
      const salt = Buffer.from(s, 'base64');
      const salted = await derive(password.normalize('NFKC'), salt, iterations, length, hash);
      const clientKey = hmac(salted, 'Client Key');
      // `biws` is the header `n,,` in Base64.
      const withoutProof = `c=biws,r=${r}`;
      const signed = `${bare},${challenge},${withoutProof}`;
      const signature = hmac(createHash(hash).update(clientKey).digest(), signed);
      due = hmac(hmac(salted, 'Server Key'), signed);
      const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0));
      return `${withoutProof},p=${Buffer.from(proof).toString('base64')}`;
    },
    verify(success) {
      const given = Buffer.from(fieldsOf(success).v ?? '', 'base64');
      if (due === undefined || given.length !== due.length || !timingSafeEqual(given, due))
        throw new Error('The server has not proved that it knows the password.');
    },
  };
}

const fieldsOf = (message: string): Readonly<Record<string, string>> =>
  Object.fromEntries(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]));
