import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type SandboxAccount, sandboxCatalogue } from '../fixtures.ts';
import { type Call, noBody, operations, param, type Route } from '../http/operation.ts';
import { invalid, liteReply, openReply, Refusal, type Reply, unauthorized } from '../http/reply.ts';
import { declinedBy, exact, invalidBy, parse, someText, text, textList } from '../http/schema.ts';
import type { Options } from '../options.ts';
import type { Clients } from './clients.ts';
import type { Accounts, Gatekeeper } from './identity.ts';
import { createSignedLogin, enabledAccount } from './open-login.ts';
import type { Tokens } from './tokens.ts';

export interface AuthDeps {
  readonly clock: Clock;
  readonly options: Options;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly clients: Clients;
  readonly gatekeeper: Gatekeeper;
}

/** Tokens of both interfaces and the clients of the lite one. */
export const authRoutes = (parts: AuthDeps): readonly Route[] => [
  ...tokenRoutes(parts),
  ...clientRoutes(parts),
];

const clientLogin = exact({ client_id: someText, client_secret: someText, username: someText });

function tokenRoutes(parts: AuthDeps): readonly Route[] {
  const { accounts, clients, options, tokens } = parts;
  const signedLogin = createSignedLogin(parts);
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
      return openToken(enabledAccount(accounts, known?.userName));
    }),
    open('loginWithClient', 'POST /openapi/auth/client_with_account', noBody, async ({ call }) =>
      openToken(signedLogin(await call.fields())),
    ),
  ];
}

const idpLogin = exact({ token: someText });

const newClient = exact({
  name: someText,
  description: text,
  'trusted domains': textList,
  trusted_domains: z.unknown(),
});

const underscored = exact({ trusted_domains: textList });

function clientRoutes({ clients, gatekeeper }: AuthDeps): readonly Route[] {
  const admin = operations('lite', gatekeeper.admin);
  const path = '/webapi/lite_api/v1/admin/clients';
  return [
    admin('createClient', `POST ${path}`, newClient, ({ body }) => {
      const { name, description = '', 'trusted domains': spaced } = body;
      const domains = spaced.length > 0 ? spaced : parse(underscored, body, invalidBy).trusted_domains;
      const { id, secret } = clients.create({ name, description, domains });
      return liteReply({ client_id: id, client_secret: secret });
    }),
    admin('listClients', `GET ${path}`, noBody, ({ call }) => {
      const page = pageNumber(call, 'page', 1);
      const pageSize = pageNumber(call, 'page_size', 20);
      const { items, total } = clients.list(page, pageSize);
      const shown = items.map(({ id, name, description, domains, created }) => ({
        client_id: id,
        name,
        description,
        'trusted domains': domains,
        created_at: new Date(created).toISOString(),
      }));
      return liteReply({ items: shown, total, page, page_size: pageSize });
    }),
  ];
}

function pageNumber(call: Call, name: string, fallback: number): number {
  const text = call.query.get(name);
  if (text === null) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw invalid(`The parameter ${name} must be a positive integer.`);
  return Number(text);
}
