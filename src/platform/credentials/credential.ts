import type { Log } from '../../core/log.ts';
import type { Secret } from '../../secret.ts';
import type { TokenCache } from '../tokens.ts';
import type { Wiring } from '../wiring.ts';

/** What an agent is asked with. */
export type AgentCredential =
  | { readonly kind: 'api-key'; readonly key: Secret }
  | {
      readonly kind: 'client-token';
      readonly clientId: string;
      readonly secret: Secret;
      readonly username: string;
    }
  | {
      readonly kind: 'client-account';
      readonly client: string;
      readonly secret: Secret;
      readonly account: string;
    }
  | {
      readonly kind: 'idp';
      /** A fresh access token of the identity provider. */
      readonly token: () => Promise<Secret>;
    };

/** What the credentials of one platform share. */
export interface SignInContext {
  readonly wiring: Wiring;
  readonly tokens: TokenCache;
  readonly log: Log;
}
