/** Proof by certificate: a token that the app signs itself (Microsoft identity platform, "Certificate credentials"). */

import { constants, createHash, randomUUID, sign, X509Certificate } from 'node:crypto';
import type { TeamsCredential } from '../config.ts';

type Certified = Extract<TeamsCredential, { kind: 'certificate' }>;

export interface Assertion {
  readonly appId: string;
  /** Address of the token service. */
  readonly audience: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Seconds that the proof is good for: long enough for clocks that differ a little. */
const GOOD_FOR = 300;
const SALT_BYTES = 32;

/** Throws where certificate or key are none. */
export function assertionOf({ certificate, key }: Certified, { appId, audience, now }: Assertion): string {
  const { raw } = new X509Certificate(certificate.reveal());
  const thumbprint = createHash('sha256').update(raw).digest('base64url');
  const at = Math.floor(now / 1000);
  const head = encoded({ typ: 'JWT', alg: 'PS256', 'x5t#S256': thumbprint });
  const claims = encoded({
    aud: audience,
    iss: appId,
    sub: appId,
    jti: randomUUID(),
    nbf: at - GOOD_FOR,
    iat: at,
    exp: at + GOOD_FOR,
  });
  const signature = sign('sha256', Buffer.from(`${head}.${claims}`), {
    key: key.reveal(),
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: SALT_BYTES,
  });
  return `${head}.${claims}.${signature.toString('base64url')}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
