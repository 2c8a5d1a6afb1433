import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type SandboxAccount, sandboxCatalogue } from '../fixtures.ts';
import { idText } from '../http/json.ts';
import { type Call, noBody, operations, param, type Route, sameText } from '../http/operation.ts';
import { declined, invalid, liteReply, openReply, Refusal, type Reply, unauthorized } from '../http/reply.ts';
import {
  declinedBy,
  exact,
  invalidBy,
  parse,
  refuse,
  requiredText,
  text,
  texts,
  whole,
} from '../http/schema.ts';
import type { Options } from '../options.ts';
import type { Clients } from './clients.ts';
import type { Accounts, Gatekeeper } from './identity.ts';
import type { Tokens } from './tokens.ts';

interface AuthDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly options: Options;
  readonly gatekeeper: Gatekeeper;
  readonly tokens: Tokens;
  readonly clients: Clients;
}

/** Routes that issue the tokens of both interfaces and manage the clients of the lite interface. */
export const authRoutes = (deps: AuthDeps): readonly Route[] => [...tokenRoutes(deps), ...clientRoutes(deps)];

const clientLogin = exact({ client_id: requiredText, client_secret: requiredText, username: requiredText });

function tokenRoutes(deps: AuthDeps): readonly Route[] {
  const { accounts, clients, options, tokens } = deps;
  const signedLogin = createSignedLogin(deps);
  const lite = operations('lite', () => undefined);
  const open = operations('open', () => undefined);
  const issue = (kind: 'lite' | 'open', account: SandboxAccount, lifeMs: number): string => {
    accounts.signedIn(account.id);
    return tokens.issue({ kind, account: account.id }, lifeMs);
  };
  const openToken = (account: SandboxAccount): Reply =>
    openReply({
      access_token: issue('open', account, options.openTokenLifeMinutes * 60_000),
      expires_in: options.openTokenLifeMinutes,
    });
  return [
    lite('clientToken', 'POST /webapi/lite_api/v1/iam/client_token', clientLogin, ({ body }) => {
      const account = accounts.named(body.username);
      if (!clients.knows(body.client_id, body.client_secret) || !account?.enabled) {
        throw unauthorized('The client or the user is not accepted.');
      }
      return liteReply({
        access_token: issue('lite', account, options.tokenLifeSeconds * 1000),
        token_type: 'Bearer',
        expires_in: options.tokenLifeSeconds,
      });
    }),
    open('loginWithIdp', 'POST /openapi/auth/user/{word}', noBody, async ({ call }) => {
      if (param(call, 'word') !== options.idpWord) throw new Refusal(404, 404, 'There is no such route.');
      const { token } = parse(idpLogin, await call.fields(), declinedBy);
      const known = sandboxCatalogue.idpTokens.find((candidate) => candidate.token === token);
      return openToken(enabledAccount(accounts, known?.userName ?? options.idpAccounts[personIn(token)]));
    }),
    open('loginWithClient', 'POST /openapi/auth/client_with_account', login, ({ body }) =>
      openToken(signedLogin(body)),
    ),
  ];
}

const idpLogin = exact({ token: requiredText });

const personClaims = z.object({ preferred_username: z.string().optional(), upn: z.string().optional() });

/** Returns the name of the person in a JSON Web Token; empty if there is none. */
function personIn(token: string): string {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { preferred_username: name, upn } = personClaims.parse(claims);
    return name ?? upn ?? '';
  } catch {
    return '';
  }
}

/**
 * Maximum difference between the signed time and the clock, in milliseconds: five minutes (platform contract AUT-11:
 * life of a signature).
 */
const SIGNATURE_WINDOW_MS = 300_000;
/** Maximum nonces in memory. A nonce must be unique for 10 minutes, so this suffices for 160 logins per second. */
const MAX_NONCES = 100_000;

const login = exact({
  client: requiredText,
  account: requiredText,
  nonce: requiredText.refine((nonce) => /^[0-9A-Za-z]{6}$/.test(nonce), 'must be 6 letters or digits'),
  signature: requiredText,
  timestamp: z.unknown().transform((value, context) => {
    const digits = idText(value) ?? '';
    return /^\d{13}$/.test(digits) ? digits : refuse(context, 'must be a number of 13 digits');
  }),
});

/**
 * Checks a signed login and returns its account (platform contract AUT-9 to AUT-11: signed login). A refusal has
 * `success` false.
 */
function createSignedLogin({ accounts, clock, options }: AuthDeps) {
  const { openClient } = sandboxCatalogue;
  const ttl = 2 * SIGNATURE_WINDOW_MS;
  const seen = new LRUCache<string, true>({ max: MAX_NONCES, ttl, ttlResolution: 0, perf: clock });
  const refuseReuse = (key: string) => {
    if (!options.refuseNonceReuse) return;
    if (seen.has(key)) throw declined('The nonce was used before.');
    seen.set(key, true);
  };
  return ({ client, account, nonce, signature, timestamp }: z.output<typeof login>): SandboxAccount => {
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

/**
 * Returns the account with this name. Refuses an unknown or disabled account, because it must not get a token (platform
 * contract STA-4: disabled users).
 */
function enabledAccount(accounts: Accounts, userName: string | undefined): SandboxAccount {
  const account = userName === undefined ? undefined : accounts.named(userName);
  if (account === undefined) throw declined('The account is unknown.');
  if (!account.enabled) throw declined('The account is disabled.');
  return account;
}

/**
 * Returns the signature: the MD5 of five `name:value` pairs, joined without separators, as 32 lower-case hexadecimal
 * characters (platform contract AUT-10).
 */
export function signLogin(
  signed: Omit<z.output<typeof login>, 'signature'> & { readonly secret: string },
): string {
  const { client, secret, account, timestamp, nonce } = signed;
  const plain = `client:${client}secret:${secret}account:${account}timestamp:${timestamp}nonce:${nonce}`;
  return createHash('md5').update(plain, 'utf8').digest('hex');
}

const domains = whole(texts.nullish(), 'must be an array of strings').transform((given) => given ?? []);

const newClient = exact({
  name: requiredText,
  description: text,
  'trusted domains': domains,
  trusted_domains: z.unknown(),
});

const underscored = exact({ trusted_domains: domains });

function clientRoutes({ clients, gatekeeper }: AuthDeps): readonly Route[] {
  const admin = operations('lite', gatekeeper.admin);
  const path = '/webapi/lite_api/v1/admin/clients';
  return [
    admin('createClient', `POST ${path}`, newClient, ({ body }) => {
      const { name, description = '', 'trusted domains': spaced } = body;
      const named = spaced.length > 0 ? spaced : parse(underscored, body, invalidBy).trusted_domains;
      const { id, secret } = clients.create({ name, description, domains: named });
      return liteReply({ client_id: id, client_secret: secret });
    }),
    admin('listClients', `GET ${path}`, noBody, ({ call }) => {
      const page = pageNumber(call, 'page', 1);
      const pageSize = pageNumber(call, 'page_size', 20);
      const { items, total } = clients.list(page, pageSize);
      const rows = items.map(({ id, name, description, domains, created }) => ({
        client_id: id,
        name,
        description,
        'trusted domains': domains,
        created_at: new Date(created).toISOString(),
      }));
      return liteReply({ items: rows, total, page, page_size: pageSize });
    }),
  ];
}

function pageNumber(call: Call, name: string, fallback: number): number {
  const text = call.query.get(name);
  if (text === null) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw invalid(`The parameter "${name}" must be a positive integer.`);
  return Number(text);
}
