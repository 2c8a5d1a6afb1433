/** An OpenID provider that sends whatever ID token, claims and metadata a test wants, right or wrong. */

import { createHmac, createPublicKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface Signer {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export async function makeSigner(kid: string): Promise<Signer> {
  return { kid, ...(await generateKeyPair('RS256', { extractable: true })) };
}

let first: Promise<Signer> | undefined;

/** Makes the first key of all forgers. It is made once per process, because that takes about 40 ms. */
function firstSigner(): Promise<Signer> {
  first ??= makeSigner('one');
  return first;
}

export interface Forger {
  readonly issuer: string;
  /** The key that signs, and the keys that the provider publishes. */
  signer: Signer;
  published: readonly Signer[];
  /** Changes the claims of the next ID token. */
  claims: (claims: JWTPayload) => JWTPayload;
  /** Replaces the next ID token. */
  token: (claims: JWTPayload) => Promise<string>;
  /** Claims that userinfo returns. */
  userinfo: Record<string, unknown>;
  /** Changes the metadata. */
  metadata: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** If set, the provider responds to every request with this status. */
  down: number | undefined;
  /** Paths that were requested, in order. */
  readonly seen: string[];
  /** Nonce of the last authorization request. */
  nonce: string;
  sign(claims: JWTPayload, header?: object): Promise<string>;
  close(): Promise<void>;
}

export async function openForger(): Promise<Forger> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signer = await firstSigner();
  const forger: Forger = {
    issuer,
    signer,
    published: [signer],
    claims: (claims) => claims,
    token: (claims) => forger.sign(claims),
    userinfo: {},
    metadata: (metadata) => metadata,
    down: undefined,
    seen: [],
    nonce: '',
    sign: (claims, header = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: forger.signer.kid, ...header })
        .sign(forger.signer.privateKey),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('request', async (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    forger.seen.push(url.pathname);
    const send = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (forger.down !== undefined) return response.writeHead(forger.down).end();
    if (url.pathname === '/.well-known/openid-configuration')
      return send(forger.metadata(metadataOf(issuer)));
    if (url.pathname === '/jwks') return send({ keys: await Promise.all(forger.published.map(publish)) });
    if (url.pathname === '/userinfo') return send({ sub: 'ada', ...forger.userinfo });
    if (url.pathname === '/token') {
      const now = Math.floor(Date.now() / 1000);
      const usual = {
        ...{ iss: issuer, aud: 'parley-console', sub: 'ada', nonce: forger.nonce, iat: now, exp: now + 300 },
        ...{ name: 'Ada Lindqvist', email: 'ada@example.org', email_verified: true },
      };
      const id_token = await forger.token(forger.claims(usual));
      return send({ access_token: 'access', token_type: 'Bearer', refresh_token: 'refresh', id_token });
    }
    return response.writeHead(404).end();
  });
  return forger;
}

async function publish({ kid, publicKey }: Signer) {
  return { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' };
}

function metadataOf(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token without a signature. */
export const unsigned = (claims: JWTPayload): string => `${part({ alg: 'none' })}.${part(claims)}.`;

/** Returns a token that is signed with HS256, with the text of the public key as the secret. */
export async function signedWithPublicKey(claims: JWTPayload, { kid, publicKey }: Signer): Promise<string> {
  const text = createPublicKey(await exportSPKI(publicKey)).export({ type: 'spki', format: 'pem' });
  const bare = `${part({ alg: 'HS256', kid })}.${part(claims)}`;
  return `${bare}.${createHmac('sha256', text).update(bare).digest('base64url')}`;
}
