import type { AgentDirectory, ListedAgent } from '../agents/directory.ts';
import type { SandboxAccount } from '../fixtures.ts';
import { type Call, header, sameText } from '../http/operation.ts';
import { declined, invalid, type Refusal, unauthorized } from '../http/reply.ts';
import type { Tokens } from './tokens.ts';

export type Gatekeeper = ReturnType<typeof createGatekeeper>;

/**
 * Returns functions that identify the caller before the request's body is read. Each function refuses an unknown caller
 * with HTTP status 401.
 */
export function createGatekeeper(
  directory: AgentDirectory,
  accounts: Accounts,
  tokens: Tokens,
  adminToken: () => string,
) {
  /** Returns the agent to which the header `api-key` belongs (platform contract AUT-1: key chat and image upload). */
  const agentOfKey = (call: Call): ListedAgent => {
    const key = header(call, 'api-key');
    if (key === undefined) throw unauthorized('The header api-key is missing.');
    const agent = directory.withKey(key);
    if (agent === 'expired') throw unauthorized('The API key has expired.');
    if (agent === undefined) throw unauthorized('The API key is unknown.');
    return agent;
  };
  const account = (call: Call, schemes: RegExp, kinds: readonly string[]): SandboxAccount => {
    const claims = tokens.verify(credential(call, schemes));
    const found = claims && accounts.withId(claims.account);
    if (claims === undefined || !kinds.includes(claims.kind) || !found?.enabled) {
      throw unauthorized('The access token is invalid or has expired.');
    }
    return found;
  };
  /** Returns the account of a token of the lite interface (platform contract AUT-2: bearer). */
  const liteAccount = (call: Call) => account(call, /^bearer\s+/i, ['lite']);
  /**
   * Returns the account of an Open API token. The header's scheme may be `openapi` or `Bearer`, or may be left out
   * (platform contract AUT-13: scheme of the header).
   */
  const openAccount = (call: Call) => account(call, /^(openapi\s+|bearer\s+)?/i, ['open']);
  /**
   * Returns the account of a token of either interface, because media routes accept both (platform contract AUT-4:
   * bearer for media).
   */
  const anyAccount = (call: Call) => account(call, /^(openapi|bearer)\s+/i, ['lite', 'open']);
  return {
    agentOfKey,
    liteAccount,
    openAccount,
    /**
     * Refuses accounts that are not administrators. The refusal names the missing permission (platform contract AUT-17:
     * permissions; ERR-4: failures of the Open API).
     */
    administrator: only(openAccount, declined),
    /** Refuses accounts of the lite interface that are not administrators, with HTTP status 400. */
    liteAdministrator: only(liteAccount, invalid),
    anyAccount,
    anyAdministrator: only(anyAccount, invalid),
    /** Accepts an API key or a lite token (platform contract IMG-3: image upload). */
    keyOrAccount: (call: Call): void => {
      if (header(call, 'api-key') === undefined) liteAccount(call);
      else agentOfKey(call);
    },
    /** Accepts only the admin token (platform contract AUT-3: management of clients). */
    admin: (call: Call): void => {
      if (!sameText(credential(call, /^bearer\s+/i), adminToken()))
        throw unauthorized('The admin token is invalid.');
    },
  };
}

/** Admits administrators only. A refusal names the missing permission, such as `to write users`. */
const only =
  (admit: (call: Call) => SandboxAccount, refusal: (sentence: string) => Refusal) =>
  (permission: string) =>
  (call: Call): SandboxAccount => {
    const account = admit(call);
    if (account.role === 'admin') return account;
    throw refusal(`The permission ${permission} is missing. Only administrators have it.`);
  };

function credential(call: Call, schemes: RegExp): string {
  const value = header(call, 'authorization');
  if (value === undefined) throw unauthorized('The Authorization header is missing.');
  const scheme = schemes.exec(value);
  if (scheme === null) throw unauthorized('The scheme of the Authorization header is not supported.');
  return value.slice(scheme[0].length);
}

/** Finds accounts for sign-in. `sandbox/people` implements this interface. */
export interface Accounts {
  /** Returns the account with exactly this user name. */
  named(userName: string): SandboxAccount | undefined;
  /** Returns the account with this account id or user id. */
  withId(id: string): SandboxAccount | undefined;
  /** Records that a token was issued to the account with this account id. */
  signedIn(id: string): void;
}
