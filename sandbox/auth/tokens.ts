import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { asFields } from '../http/json.ts';
import { sameText } from '../http/operation.ts';
import { type Database, rememberFact } from '../store/database.ts';

interface TokenClaims {
  /** Interface that issued the token. */
  readonly kind: 'lite' | 'open';
  /** Id of the account. A name would not suffice, because a new account can have the name of a deleted one. */
  readonly account: string;
}

export type Tokens = ReturnType<typeof createTokens>;

/**
 * Issues signed access tokens of three parts with a numeric `exp` (platform contract AUT-5: JWT). The tokens stay valid
 * after a restart.
 */
export function createTokens(database: Database, clock: Clock) {
  const key = rememberFact(database, 'signing-key', () => randomBytes(32).toString('hex'));
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const header = encode({ alg: 'HS256', typ: 'JWT' });
  let generation = 0;
  return {
    issue: (claims: TokenClaims, lifeMs: number): string => {
      const payload = encode({
        sub: claims.account,
        kind: claims.kind,
        generation,
        jti: randomBytes(6).toString('hex'),
        exp: Math.ceil((clock.now() + lifeMs) / 1000),
        until: clock.now() + lifeMs,
      });
      return `${header}.${payload}.${sign(`${header}.${payload}`)}`;
    },
    /** Returns the claims of the token; undefined if the token is unknown, altered, expired or revoked. */
    verify: (token: string): TokenClaims | undefined => {
      const [head, payload, signature, ...rest] = token.split('.');
      if (head === undefined || payload === undefined || signature === undefined || rest.length > 0)
        return undefined;
      if (!sameText(signature, sign(`${head}.${payload}`))) return undefined;
      const claims = asFields(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))) ?? {};
      const { sub, kind } = claims;
      if (typeof sub !== 'string' || (kind !== 'lite' && kind !== 'open')) return undefined;
      if (Number(claims.until) <= clock.now() || Number(claims.generation) < generation) return undefined;
      return { kind, account: sub };
    },
    /** Revokes all tokens issued so far (platform contract AUT-16: revocation). */
    revokeAll: (): void => {
      generation += 1;
    },
    /** Signs any text, for example a temporary link to media. */
    sign,
  };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
