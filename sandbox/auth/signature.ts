import { createHash } from 'node:crypto';

export interface SignedLogin {
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
