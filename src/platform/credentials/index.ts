import { createHash } from 'node:crypto';
import { BridgeError } from '../../errors.ts';
import type { Secret } from '../../secret.ts';
import type { Authority } from '../authority.ts';
import type { Issued } from '../tokens.ts';
import {
  type AgentCredential,
  obtainAccountToken,
  obtainClientToken,
  obtainIdpToken,
  type SignInContext,
} from './sign-ins.ts';

export type { AgentCredential, SignInContext } from './sign-ins.ts';

/** One identity for each callback: two identity-provider credentials must never share a token. */
const idpKeys = new WeakMap<object, string>();
let idpCount = 0;

/**
 * The credential as what a call proves itself with. `account` overrides the credential's own account or username;
 * a key and an identity-provider token stand for one account only, so there it is refused.
 */
export function authorityFor(
  context: SignInContext,
  credential: AgentCredential,
  account: string | undefined,
): Authority {
  if (credential.kind === 'api-key') {
    return { kind: 'key', key: credential.key };
  }
  const who = accountOf(credential, account);
  const key = cacheKey(credential, who);
  const obtain = (signal: AbortSignal): Promise<Issued> => obtainToken(context, credential, who, signal);
  return {
    kind: 'token',
    grants: {
      grant: (signal) => context.tokens.get(key, obtain, signal),
      refuse: (grant) => context.tokens.forget(key, grant),
    },
  };
}

type TokenCredential = Exclude<AgentCredential, { kind: 'api-key' }>;

function accountOf(credential: TokenCredential, account: string | undefined): string {
  switch (credential.kind) {
    case 'client-token':
      return account ?? credential.username;
    case 'client-account':
      return account ?? credential.account;
    case 'idp':
      if (account === undefined) return '';
      throw new BridgeError(
        'platform-permission',
        'An identity-provider credential cannot ask as another account.',
      );
  }
}

function obtainToken(
  context: SignInContext,
  credential: TokenCredential,
  account: string,
  signal: AbortSignal,
): Promise<Issued> {
  switch (credential.kind) {
    case 'client-token':
      return obtainClientToken(context, credential, account, signal);
    case 'client-account':
      return obtainAccountToken(context, credential, account, signal);
    case 'idp':
      return obtainIdpToken(context, credential, signal);
  }
}

/** Platform contract AUT-6: by client and account, and by secret, so that a wrong secret never uses a right one's token. */
function cacheKey(credential: TokenCredential, account: string): string {
  if (credential.kind === 'client-token')
    return JSON.stringify(['lite', credential.clientId, account, digest(credential.secret)]);
  if (credential.kind === 'client-account')
    return JSON.stringify(['open', credential.client, account, digest(credential.secret)]);
  const known = idpKeys.get(credential.token) ?? `idp-${++idpCount}`;
  idpKeys.set(credential.token, known);
  return JSON.stringify(['idp', known]);
}

const digest = (secret: Secret): string => createHash('sha256').update(secret.reveal()).digest('hex');
