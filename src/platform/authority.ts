import { BridgeError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { Capability, Described } from './operation.ts';
import type { Grant } from './tokens.ts';

/** How a call authenticates. */
export type Authority =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: Secret }
  /** A token that this client cannot renew, such as the administrator's (platform contract AUT-3). */
  | { readonly kind: 'fixed'; readonly token: Secret }
  | { readonly kind: 'token'; readonly grants: Grants };

/** Issues tokens, and discards tokens that the platform refused. */
interface Grants {
  grant(signal: AbortSignal): Promise<Grant>;
  /**
   * Discards the refused token, so that the next call obtains another one. Has no effect if another call has renewed
   * the token already.
   */
  refuse(grant: Grant): void;
}

type Scheme = 'openapi' | 'Bearer';

/** Remembers which authentication scheme each group of operations accepts (platform contract AUT-13). */
export interface SchemeMemory {
  readonly wanted: 'auto' | Scheme;
  readonly known: Map<Capability, Scheme>;
}

/** Provides the authentication headers for each attempt of one call. */
interface Signer {
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  succeeded(): void;
  /**
   * True if the call should be repeated. A call is repeated at most twice: with a renewed token, then under the other
   * authentication scheme (platform contract AUT-16).
   */
  again(error: unknown): boolean;
}

type Signed = Pick<Described, 'capability' | 'credential'>;

export function signer(authority: Authority, operation: Signed, schemes: SchemeMemory): Signer {
  if (authority.kind !== 'token') {
    const headers = fixedHeaders(authority);
    return { headers: async () => headers, succeeded: () => undefined, again: () => false };
  }
  const scheme = schemeOf(operation, schemes);
  let { used } = scheme;
  let last: Grant | undefined;
  let renewed = false;
  return {
    headers: async (signal) => {
      last = await authority.grants.grant(signal);
      return { authorization: `${used} ${last.token.reveal()}` };
    },
    succeeded: () => {
      if (used !== scheme.used) schemes.known.set(operation.capability, used);
    },
    again: (error) => {
      if (!isAuthFailure(error) || last === undefined) return false;
      if (!renewed) {
        renewed = true;
        authority.grants.refuse(last);
        return true;
      }
      if (scheme.other === undefined || used === scheme.other) return false;
      used = scheme.other;
      return true;
    },
  };
}

function fixedHeaders(authority: Exclude<Authority, { kind: 'token' }>): Readonly<Record<string, string>> {
  if (authority.kind === 'key') return { 'api-key': authority.key.reveal() };
  return authority.kind === 'fixed' ? { authorization: `Bearer ${authority.token.reveal()}` } : {};
}

/** Returns the authentication scheme to try first, and a second scheme if both may be tried. */
function schemeOf(operation: Signed, schemes: SchemeMemory): { used: Scheme; other?: Scheme } {
  if (operation.credential !== 'open') return { used: 'Bearer' };
  if (schemes.wanted !== 'auto') return { used: schemes.wanted };
  const used = schemes.known.get(operation.capability) ?? 'openapi';
  return { used, other: used === 'openapi' ? 'Bearer' : 'openapi' };
}

function isAuthFailure(error: unknown): boolean {
  return error instanceof BridgeError && error.code === 'platform-auth';
}
