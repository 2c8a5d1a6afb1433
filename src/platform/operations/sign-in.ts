import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { type Fields, isFields, numberOf, one, textOf } from '../shapes.ts';

const text = z.string().min(1);

/** A token as the platform issued it; `expiresIn` is in the unit of its interface, 0 when it was not told. */
const issued = z.object({ accessToken: text, expiresIn: z.number() });

/** Finds the token at any documented place (platform contract DEC-23). */
function readToken(body: unknown): unknown {
  const data: Fields = one(isFields(body) ? body.data : undefined) ?? {};
  const top: Fields = isFields(body) ? body : {};
  return {
    accessToken: textOf(data, ['access_token', 'token']) ?? textOf(top, ['access_token']),
    expiresIn: numberOf(data, ['expires_in']) ?? numberOf(top, ['expires_in']) ?? 0,
    tokenType: textOf(data, ['token_type']) ?? textOf(top, ['token_type']) ?? 'Bearer',
  };
}

/** Platform contract AUT-6; `expiresIn` in seconds (AUT-7). */
export const clientToken = defineOperation({
  id: 'clientToken',
  capability: 'sign-in',
  doc: 'Obtains an access token of the lite interface for a platform user.',
  method: 'POST',
  path: '/webapi/lite_api/v1/iam/client_token',
  credential: 'none',
  answer: 'json',
  retry: 'read',
  request: z.object({ clientId: text, clientSecret: text, username: text }),
  response: issued.extend({ tokenType: z.string().regex(/^bearer$/i) }),
  wire: ({ clientId, clientSecret, username }) => ({
    json: { client_id: clientId, client_secret: clientSecret, username },
  }),
  read: readToken,
});

/** Platform contract AUT-8; `expiresIn` in minutes (AUT-12). */
export const loginWithIdp = defineOperation({
  id: 'loginWithIdp',
  capability: 'sign-in',
  doc: "Exchanges an identity provider's access token for an Open API token.",
  method: 'POST',
  path: '/openapi/auth/user/{idpWord}',
  credential: 'none',
  answer: 'json',
  retry: 'read',
  request: z.object({ token: text }),
  response: issued,
  wire: ({ token }) => ({ json: { token } }),
  read: readToken,
});

/** Platform contract AUT-9; `expiresIn` in minutes (AUT-12). Not repeated as it stands: a nonce serves once. */
export const loginWithClient = defineOperation({
  id: 'loginWithClient',
  capability: 'sign-in',
  doc: 'Obtains an Open API token for a platform account by a signed client request.',
  method: 'POST',
  path: '/openapi/auth/client_with_account',
  credential: 'none',
  answer: 'json',
  retry: 'never',
  request: z.object({
    client: text,
    account: text,
    /** Milliseconds since the epoch, 13 digits. */
    timestamp: z.number().int().min(1e12).max(9_999_999_999_999),
    nonce: z.string().regex(/^[0-9A-Za-z]{6}$/),
    signature: z.string().regex(/^[0-9a-f]{32}$/),
  }),
  response: issued,
  wire: (request) => ({ json: request }),
  read: readToken,
});
