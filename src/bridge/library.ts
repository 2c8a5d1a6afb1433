/** Access to the platform's documents, if the configuration has a credential for it. */

import type { Config } from '../config/schema.ts';
import type { Library } from '../core/agents/library.ts';
import { type Credentials, createLibrary, type Platform } from '../platform/index.ts';
import type { Store } from '../store/index.ts';

/** Returns undefined if neither `platform.credentials` nor an agent provides a client of the Open API. */
export function openLibrary(config: Config, platform: Platform, store: Store): Library | undefined {
  const open = credentialOf(config);
  return open && createLibrary(platform.client({ open }), store.keyed('documents'));
}

function credentialOf({ platform, agents }: Config): Credentials['open'] {
  const { open, idpTokenFile } = platform.credentials;
  if (open !== undefined) return { kind: 'client-account', ...open };
  if (idpTokenFile !== undefined) return { kind: 'idp', token: async () => idpTokenFile };
  return Object.values(agents)
    .map(({ credential }) => credential)
    .find((credential) => credential.kind === 'client-account');
}
