/** The platform's documents, where the configuration gives access to them. */

import type { Config } from '../config/schema.ts';
import type { Library } from '../core/agents/library.ts';
import { type Credentials, createLibrary, type Platform } from '../platform/index.ts';
import type { Store } from '../store/index.ts';

/** `undefined` without a client of the Open API: none in `platform.credentials`, and none of an agent. */
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
