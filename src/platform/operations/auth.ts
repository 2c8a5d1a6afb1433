import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { asFields, type Fields, numberOf, one, textOf } from '../shapes.ts';
import { dataOf } from '../wire/answers.ts';
import { matching, number, text } from '../wire/members.ts';

/** An issued token. The unit of `expiresIn` depends on the interface; 0 if the platform sent no lifetime. */
const issued = z.object({
  accessToken: text('The access token', { name: 'access_token', secret: true }),
  expiresIn: number(
    'Lifetime of the token, in minutes in the Open API and in seconds in the lite interface',
    {
      name: 'expires_in',
    },
  ),
});

const operation = operationsOf('auth', 'none');
const issuing = { method: 'POST', shape: 'one', read: readToken } as const;

/** Finds the token at any of the documented positions in the body (platform contract DEC-23). */
function readToken(body: unknown): unknown {
  const data: Fields = one(dataOf(body)) ?? {};
  const top: Fields = asFields(body) ?? {};
  return {
    accessToken: textOf(data, ['access_token', 'token']) ?? textOf(top, ['access_token']),
    expiresIn: numberOf(data, ['expires_in']) ?? numberOf(top, ['expires_in']) ?? 0,
    tokenType: textOf(data, ['token_type']) ?? textOf(top, ['token_type']) ?? 'Bearer',
  };
}

/** Obtains a token of the lite interface for a user (platform contract AUT-6). `expiresIn` is in seconds (AUT-7). */
export const clientToken = operation({
  ...issuing,
  id: 'clientToken',
  command: 'client-token',
  doc: 'Gets an access token of the lite interface for a platform user.',
  path: '/webapi/lite_api/v1/iam/client_token',
  retry: 'read',
  request: z.strictObject({
    clientId: text('Id of the client', { name: 'client_id' }),
    clientSecret: text('Secret of the client', { name: 'client_secret', secret: true }),
    username: text('Name of the platform user for whom the token is issued'),
  }),
  response: issued.extend({
    tokenType: matching(/^bearer$/i, 'Always Bearer', { name: 'token_type' }),
  }),
});

/**
 * Exchanges a token of the identity provider for an Open API token (platform contract AUT-8). `expiresIn` is in
 * minutes (AUT-12).
 */
export const loginWithIdp = operation({
  ...issuing,
  id: 'loginWithIdp',
  command: 'idp',
  doc: "Exchanges an identity provider's access token for an access token of the Open API.",
  path: '/openapi/auth/user/{idpWord}',
  retry: 'read',
  request: z.strictObject({ token: text("The identity provider's access token", { secret: true }) }),
  response: issued,
});

/**
 * Obtains an Open API token by a signed request (platform contract AUT-9). `expiresIn` is in minutes (AUT-12). The
 * same request must not be sent twice, because a nonce is valid only once.
 */
export const loginWithClient = operation({
  ...issuing,
  id: 'loginWithClient',
  command: 'client',
  doc: 'Gets an access token of the Open API for a platform account. The request is signed with the secret of a client.',
  path: '/openapi/auth/client_with_account',
  request: z.strictObject({
    client: text('Id of the client'),
    account: text('User name of the account'),
    timestamp: z
      .number()
      .int()
      .min(1e12)
      .max(9_999_999_999_999)
      .describe('Time of the request, in milliseconds since 1970-01-01 UTC (13 digits)'),
    nonce: matching(
      /^[0-9A-Za-z]{6}$/,
      'Six characters, each a letter or a digit; use a new nonce for each request',
    ),
    signature: matching(
      /^[0-9a-f]{32}$/,
      "MD5 hash of the other fields and of the client's secret, in lower-case hexadecimal",
      { secret: true },
    ),
  }),
  response: issued,
});
