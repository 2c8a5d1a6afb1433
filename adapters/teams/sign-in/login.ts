/**
 * Requests a token for the app from Microsoft's login (Microsoft identity platform, "Client credentials flow"). Does
 * not use the SDK's client, because that has no deadline and makes further requests.
 */

import { createHash, createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { type Plain, text } from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock } from '../../../src/kit.ts';
import { contentOf } from '../api/errors.ts';
import type { Http, HttpAnswer } from '../api/http.ts';
import { cloudOf } from '../clouds.ts';
import type { TeamsConfig, TeamsCredential } from '../config.ts';

/** Maximum duration of the request, in milliseconds. A reply waits for it. Usually, the response arrives within 1 s. */
const REQUEST_MS = 10_000;
/** Maximum bytes of the response; a token has about 2 KB. */
const MAX_BYTES = 256 * 1024;

export interface Granted {
  readonly token: string;
  /** Time for which the token is valid, in milliseconds. */
  readonly forMs: number;
}

export interface LoginDeps {
  readonly config: Pick<TeamsConfig, 'appId' | 'tenant' | 'cloud' | 'services'>;
  readonly http: Pick<Http, 'send'>;
  readonly clock: Clock;
}

type SecretCredential = Exclude<TeamsCredential, { kind: 'managed-identity' }>;

/**
 * Pause between two reads of a refused secret, in milliseconds, and their number. A slow tool may leave the file blank
 * for a moment while it replaces the secret; the secret before it is then used.
 */
const READ_AGAIN_MS = 50;
const READS = 5;

/** Requests a token. Rejects with `channel-unavailable`; the error's message names the cure. */
export async function logIn(credential: SecretCredential, scope: string, deps: LoginDeps): Promise<Granted> {
  const used = secretsOf(credential);
  const answer = await request(credential, scope, deps);
  const isRefused = answer.kind === 'answered' && (answer.status === 400 || answer.status === 401);
  for (let read = 1; isRefused && read <= READS; read += 1) {
    await deps.clock.wait(READ_AGAIN_MS);
    if (secretsOf(credential) !== used) return grantedIn(await request(credential, scope, deps));
  }
  return grantedIn(answer);
}

const secretsOf = (credential: SecretCredential): string =>
  credential.kind === 'password'
    ? credential.password.reveal()
    : `${credential.certificate.reveal()}${credential.key.reveal()}`;

async function request(
  credential: SecretCredential,
  scope: string,
  { config, http, clock }: LoginDeps,
): Promise<HttpAnswer> {
  const url = `${cloudOf(config).login}/${config.tenant}/oauth2/v2.0/token`;
  const claims = { aud: url, iss: config.appId, sub: config.appId };
  const proof = await proofOf(credential, claims, clock.now());
  const form = { grant_type: 'client_credentials', client_id: config.appId, scope, ...proof };
  return http.send(
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      limit: MAX_BYTES,
      withinMs: REQUEST_MS,
    },
    new AbortController().signal,
  );
}

async function proofOf(
  credential: SecretCredential,
  claims: JWTPayload,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  if (credential.kind === 'password') return { client_secret: credential.password.reveal() };
  try {
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertionOf(credential, claims, now),
    };
  } catch {
    // Drop the original error, because it may contain the key.
    throw refused(
      'the certificate or its key is not PEM. Check MICROSOFT_APP_CERT_FILE and MICROSOFT_APP_KEY_FILE.',
    );
  }
}

function grantedIn(answer: HttpAnswer): Granted {
  if (answer.kind !== 'answered') {
    throw refused(
      `its sign-in service could not be reached (${answer.reason}). Check the network and its proxy.`,
    );
  }
  const content = contentOf(answer);
  const token = text(content.access_token);
  const seconds = Number(content.expires_in);
  if (answer.status === 200 && token !== undefined && seconds > 0) return { token, forMs: seconds * 1000 };
  throw refused(reasonOf(answer.status, content));
}

const LATER = 'Nothing needs to be changed here: wait a few minutes, then try again.';

/** Cure for each error code ("Microsoft Entra authentication and authorization error codes"). */
const CURES: Readonly<Record<string, string>> = {
  AADSTS7000215:
    'The client secret is wrong: set MICROSOFT_APP_PASSWORD to the value of the secret, not to the id of the secret.',
  AADSTS7000222: 'The client secret has expired: create a new one for MICROSOFT_APP_PASSWORD.',
  AADSTS700016: 'The directory has no such app: check MICROSOFT_APP_ID and MICROSOFT_APP_TENANT_ID.',
  AADSTS90002:
    'This cloud of Microsoft has no such directory: check MICROSOFT_APP_TENANT_ID and MICROSOFT_APP_CLOUD.',
  AADSTS700027:
    'The certificate is not the registered one: upload it to "Certificates & secrets" of the app.',
  AADSTS700024: "This machine's clock is wrong: set it.",
  AADSTS7000112: 'The app is disabled: enable it in Microsoft Entra.',
  AADSTS90033: LATER,
};

function reasonOf(status: number, content: Plain): string {
  const code = /^AADSTS\d{4,9}/.exec(text(content.error_description) ?? '')?.[0];
  const reason = code ?? (/^\w{1,60}$/.exec(text(content.error) ?? '')?.[0] || `HTTP ${status}`);
  return `the reason is ${reason}. ${CURES[reason] ?? cureOf(status, content)}`;
}

function cureOf(status: number, content: Plain): string {
  if (status === 429 || status >= 500) return LATER;
  return text(content.error) === undefined
    ? "Something else than Microsoft's sign-in service answers: check the network and its proxy."
    : 'Check MICROSOFT_APP_ID, MICROSOFT_APP_TENANT_ID and the credential.';
}

function refused(why: string): BridgeError {
  return new BridgeError('channel-unavailable', `Microsoft issues no token: ${why}`);
}

/**
 * The assertion is valid for this many seconds before and after the time of its creation, because clocks may differ a
 * little.
 */
const ASSERTION_S = 300;

/**
 * Signs the client assertion, which proves the app's identity, with the certificate's key (Microsoft identity platform,
 * "Certificate credentials"). Rejects if the certificate or the key is invalid.
 */
async function assertionOf(
  { certificate, key }: Extract<TeamsCredential, { kind: 'certificate' }>,
  claims: JWTPayload,
  now: number,
): Promise<string> {
  const { raw } = new X509Certificate(certificate.reveal());
  const thumbprint = createHash('sha256').update(raw).digest('base64url');
  const iat = Math.floor(now / 1000);
  const times = { nbf: iat - ASSERTION_S, iat, exp: iat + ASSERTION_S };
  return new SignJWT({ ...claims, ...times, jti: randomUUID() })
    .setProtectedHeader({ alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprint })
    .sign(createPrivateKey(key.reveal()));
}
