import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type SandboxAccount, sandboxCatalogue } from '../fixtures.ts';
import { type Fields, idText } from '../http/json.ts';
import { sameText } from '../http/operation.ts';
import { declined } from '../http/reply.ts';
import { declinedBy, exact, parse, refuse, someText } from '../http/schema.ts';
import type { Options } from '../options.ts';
import type { Accounts } from './identity.ts';

/** Five minutes to either side (platform contract AUT-11). */
const SIGNATURE_WINDOW_MS = 300_000;
/** Nonces remembered; enough for 300 logins a second over the window. */
const NONCES_KEPT = 100_000;

export interface LoginDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly options: Options;
}

const login = exact({
  client: someText,
  account: someText,
  nonce: someText.refine((nonce) => /^[0-9A-Za-z]{6}$/.test(nonce), 'must be 6 letters or digits'),
  signature: someText,
  timestamp: z.unknown().transform((value, context) => {
    const digits = idText(value) ?? '';
    return /^\d{13}$/.test(digits) ? digits : refuse(context, 'must be a number of 13 digits');
  }),
});

/** Checks a signed login and names the account (platform contract AUT-9 to AUT-11). Refuses with `success` false. */
export function createSignedLogin(parts: LoginDeps): (fields: Fields) => SandboxAccount {
  const { accounts, clock, options } = parts;
  const { openClient } = sandboxCatalogue;
  const seen = new Map<string, number>();
  const refuseReuse = (key: string) => {
    if (!options.refuseNonceReuse) return;
    const last = seen.get(key);
    if (last !== undefined && clock.now() - last <= 2 * SIGNATURE_WINDOW_MS)
      throw declined('The nonce was used before.');
    seen.delete(key);
    seen.set(key, clock.now());
    const [oldest] = seen.keys();
    if (seen.size > NONCES_KEPT && oldest !== undefined) seen.delete(oldest);
  };
  return (fields) => {
    const { client, account, nonce, signature, timestamp } = parse(login, fields, declinedBy);
    if (client !== openClient.client) throw declined('The client is unknown.');
    const { secret } = openClient;
    if (!sameText(signature, signLogin({ client, secret, account, timestamp, nonce }))) {
      throw declined('The signature is wrong.');
    }
    if (Math.abs(clock.now() - Number(timestamp)) > SIGNATURE_WINDOW_MS) {
      throw declined('The signature has expired: the timestamp is more than five minutes off.');
    }
    const found = enabledAccount(accounts, account);
    refuseReuse(`${client}\n${nonce}`);
    return found;
  };
}

/** The account of that name; an unknown or disabled one cannot obtain a token (platform contract STA-4). */
export function enabledAccount(accounts: Accounts, userName: string | undefined): SandboxAccount {
  const account = userName === undefined ? undefined : accounts.named(userName);
  if (account === undefined) throw declined('The account is unknown.');
  if (!account.enabled) throw declined('The account is disabled.');
  return account;
}

interface SignedLogin {
  readonly client: string;
  readonly secret: string;
  readonly account: string;
  /** 13 digits: milliseconds since the epoch. */
  readonly timestamp: string;
  readonly nonce: string;
}

/** MD5 over the five pairs without separators, 32 lowercase hexadecimal characters (platform contract AUT-10). */
export function signLogin(login: SignedLogin): string {
  const { client, secret, account, timestamp, nonce } = login;
  const plain = `client:${client}secret:${secret}account:${account}timestamp:${timestamp}nonce:${nonce}`;
  return createHash('md5').update(plain, 'utf8').digest('hex');
}
