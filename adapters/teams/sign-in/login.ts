/**
 * Microsoft's login: a token for the app itself (Microsoft identity platform, "Client credentials flow"). The SDK's own
 * client has no deadline, and asks for more than the token.
 */

import { constants, createHash, randomUUID, sign, X509Certificate } from 'node:crypto';
import { type Plain, plain, text } from '../../../src/kit/json.ts';
import { BridgeError, type Clock } from '../../../src/kit.ts';
import type { Http, HttpAnswer } from '../api/http.ts';
import { cloudOf } from '../clouds.ts';
import type { TeamsConfig, TeamsCredential } from '../config.ts';

/** The login answers within a second; a reply waits for it. */
const WITHIN_MS = 10_000;
/** Tokens have some 2 KB. */
const LIMIT_BYTES = 256 * 1024;

export interface Granted {
  readonly token: string;
  /** Milliseconds that it is good for. */
  readonly forMs: number;
}

export interface LoginDeps {
  readonly config: Pick<TeamsConfig, 'appId' | 'tenant' | 'cloud' | 'services'>;
  readonly http: Pick<Http, 'send'>;
  readonly clock: Clock;
}

/** Rejects with `channel-unavailable`, whose message tells the operator what to change. */
export async function logIn(
  credential: Exclude<TeamsCredential, { kind: 'managed-identity' }>,
  scope: string,
  { config, http, clock }: LoginDeps,
): Promise<Granted> {
  const url = `${cloudOf(config).login}/${config.tenant}/oauth2/v2.0/token`;
  const proof = proofOf(credential, { appId: config.appId, audience: url, now: clock.now() });
  const form = { grant_type: 'client_credentials', client_id: config.appId, scope, ...proof };
  const answer = await http.send(
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      limit: LIMIT_BYTES,
      withinMs: WITHIN_MS,
    },
    new AbortController().signal,
  );
  return grantedIn(answer);
}

function proofOf(
  credential: Exclude<TeamsCredential, { kind: 'managed-identity' }>,
  about: Parameters<typeof assertionOf>[1],
): Readonly<Record<string, string>> {
  if (credential.kind === 'password') return { client_secret: credential.password.reveal() };
  try {
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertionOf(credential, about),
    };
  } catch {
    // What was thrown may show the key.
    throw refused(
      'the certificate or its key is no PEM. Check MICROSOFT_APP_CERT_FILE and MICROSOFT_APP_KEY_FILE.',
    );
  }
}

function grantedIn(answer: HttpAnswer): Granted {
  if (answer.kind !== 'answered') {
    throw refused(`its login could not be reached (${answer.reason}). Check the network and its proxy.`);
  }
  const content = contentOf(answer.body);
  const token = text(content.access_token);
  const seconds = Number(content.expires_in);
  if (answer.status === 200 && token !== undefined && seconds > 0) return { token, forMs: seconds * 1000 };
  throw refused(reasonOf(answer.status, content));
}

function contentOf(body: Buffer): Plain {
  try {
    return plain(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}

/** By the numbers of "Microsoft Entra authentication and authorization error codes". */
const CURES: Readonly<Record<string, string>> = {
  AADSTS7000215: 'The client secret is wrong: set MICROSOFT_APP_PASSWORD to its value, not to its id.',
  AADSTS7000222: 'The client secret has expired: make another for MICROSOFT_APP_PASSWORD.',
  AADSTS700016: 'The directory has no such app: check MICROSOFT_APP_ID and MICROSOFT_APP_TENANT_ID.',
  AADSTS90002:
    'This cloud of Microsoft has no such directory: check MICROSOFT_APP_TENANT_ID and MICROSOFT_APP_CLOUD.',
  AADSTS700027:
    'The certificate is not the registered one: upload it to "Certificates & secrets" of the app.',
  AADSTS700024: "This machine's clock is off: set it right.",
};

function reasonOf(status: number, content: Plain): string {
  const code = /^AADSTS\d{4,9}/.exec(text(content.error_description) ?? '')?.[0];
  const said = code ?? (/^\w{1,60}$/.exec(text(content.error) ?? '')?.[0] || `HTTP ${status}`);
  return `it says ${said}. ${CURES[said] ?? 'Check MICROSOFT_APP_ID, MICROSOFT_APP_TENANT_ID and the credential.'}`;
}

function refused(why: string): BridgeError {
  return new BridgeError('channel-unavailable', `Microsoft gives no token; ${why}`);
}

/** Proof by certificate: a token that the app signs itself (Microsoft identity platform, "Certificate credentials"). */
type Certified = Extract<TeamsCredential, { kind: 'certificate' }>;

interface Assertion {
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
function assertionOf({ certificate, key }: Certified, { appId, audience, now }: Assertion): string {
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
