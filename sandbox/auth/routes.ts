import type { Clock } from '../clock.ts';
import type { SandboxAccount, SandboxCatalogue } from '../fixtures.ts';
import { type Call, param } from '../http/call.ts';
import { optionalText, requiredText, textList } from '../http/fields.ts';
import { invalid, Refusal, unauthorized } from '../http/refusal.ts';
import { liteReply, openReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Options } from '../options.ts';
import type { Clients } from './clients.ts';
import type { Accounts, Gatekeeper } from './identity.ts';
import { createSignedLogin, enabledAccount, required } from './open-login.ts';
import type { Tokens } from './tokens.ts';

export interface AuthParts {
  readonly catalogue: SandboxCatalogue;
  readonly clock: Clock;
  readonly options: Options;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly clients: Clients;
  readonly gatekeeper: Gatekeeper;
}

/** Tokens of both interfaces and the clients of the lite one. */
export const authRoutes = (parts: AuthParts): readonly Route[] => [
  ...tokenRoutes(parts),
  ...clientRoutes(parts),
];

function tokenRoutes(parts: AuthParts): readonly Route[] {
  const { accounts, catalogue, clients, options, tokens } = parts;
  const signedLogin = createSignedLogin(parts);
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
    {
      id: 'clientToken',
      method: 'POST',
      path: '/webapi/lite_api/v1/iam/client_token',
      face: 'lite',
      handle: async (call) => {
        const fields = await call.fields();
        const id = requiredText(fields, 'client_id');
        const secret = requiredText(fields, 'client_secret');
        const account = accounts.named(requiredText(fields, 'username'));
        if (!clients.knows(id, secret) || !account?.enabled) {
          throw unauthorized('The client or the user is not accepted.');
        }
        return liteReply({
          access_token: issue('lite', account, options.tokenLifeSeconds * 1000),
          token_type: 'Bearer',
          expires_in: options.tokenLifeSeconds,
        });
      },
    },
    {
      id: 'loginWithIdp',
      method: 'POST',
      path: '/openapi/auth/user/{word}',
      face: 'open',
      handle: async (call) => {
        if (param(call, 'word') !== options.idpWord) throw new Refusal(404, 404, 'There is no such route.');
        const token = required(await call.fields(), 'token');
        const known = catalogue.idpTokens.find((candidate) => candidate.token === token);
        return openToken(enabledAccount(accounts, known?.userName));
      },
    },
    {
      id: 'loginWithClient',
      method: 'POST',
      path: '/openapi/auth/client_with_account',
      face: 'open',
      handle: async (call) => openToken(signedLogin(await call.fields())),
    },
  ];
}

function clientRoutes({ clients, gatekeeper }: AuthParts): readonly Route[] {
  return [
    {
      id: 'createClient',
      method: 'POST',
      path: '/webapi/lite_api/v1/admin/clients',
      face: 'lite',
      handle: async (call) => {
        gatekeeper.admin(call);
        const fields = await call.fields();
        const spaced = textList(fields, 'trusted domains');
        const { id, secret } = clients.create({
          name: requiredText(fields, 'name'),
          description: optionalText(fields, 'description') ?? '',
          domains: spaced.length > 0 ? spaced : textList(fields, 'trusted_domains'),
        });
        return liteReply({ client_id: id, client_secret: secret });
      },
    },
    {
      id: 'listClients',
      method: 'GET',
      path: '/webapi/lite_api/v1/admin/clients',
      face: 'lite',
      handle: async (call) => {
        gatekeeper.admin(call);
        const page = pageNumber(call, 'page', 1);
        const pageSize = pageNumber(call, 'page_size', 20);
        const { items, total } = clients.list(page, pageSize);
        return liteReply({
          items: items.map((client) => ({
            client_id: client.id,
            name: client.name,
            description: client.description,
            'trusted domains': client.domains,
            created_at: client.createdAt,
          })),
          total,
          page,
          page_size: pageSize,
        });
      },
    },
  ];
}

function pageNumber(call: Call, name: string, fallback: number): number {
  const text = call.query.get(name);
  if (text === null) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw invalid(`The parameter ${name} must be a positive integer.`);
  return Number(text);
}
