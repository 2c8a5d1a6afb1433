/**
 * Checks client assertions, which an app signs with its certificate.
 * https://learn.microsoft.com/entra/identity-platform/certificate-credentials
 */

import { constants, createHash, verify, X509Certificate } from 'node:crypto';
import { type Json, number, text } from '../read.ts';
import { readToken } from './keys.ts';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

interface Given {
  readonly form: URLSearchParams;
  /** Address of the token endpoint; the assertion's audience must match it. */
  readonly endpoint: string;
  readonly app: string;
  readonly certificates: ReadonlySet<string>;
  /** Current time in milliseconds since the epoch. */
  readonly now: number;
}

export function checkAssertion(assertion: string, given: Given): boolean {
  const read = readToken(assertion);
  if (read === undefined || given.form.get('client_assertion_type') !== TYPE) return false;
  return saysWhoAndWhere(read.claims, given) && isSigned(assertion, read.header, given.certificates);
}

function saysWhoAndWhere(claims: Json, { app, endpoint, now }: Given): boolean {
  const fits = [text(claims, 'iss'), text(claims, 'sub')].every((each) => each === app);
  const until = (number(claims, 'exp') ?? 0) * 1_000;
  return fits && text(claims, 'aud') === endpoint && until > now && text(claims, 'jti') !== undefined;
}

function isSigned(assertion: string, header: Json, certificates: ReadonlySet<string>): boolean {
  const [head, body, signature = ''] = assertion.split('.');
  const unsigned = Buffer.from(`${head}.${body}`);
  return [...certificates].some((pem) => {
    const { publicKey, raw } = new X509Certificate(pem);
    const thumbprint = (hash: string) => createHash(hash).update(raw).digest('base64url');
    const named = header['x5t#S256'] === thumbprint('sha256') || header.x5t === thumbprint('sha1');
    const key =
      header.alg === 'PS256'
        ? { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
        : publicKey;
    const known = header.alg === 'PS256' || header.alg === 'RS256';
    return named && known && verify('sha256', unsigned, key, Buffer.from(signature, 'base64url'));
  });
}
