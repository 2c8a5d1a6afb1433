/** Access to the platform's documents, if the configuration has a credential for it. */

import type { Config } from '../config/schema.ts';
import type { Library } from '../core/agents/library.ts';
import { type Credentials, createLibrary, type Platform } from '../platform/index.ts';
import type { Store } from '../store/index.ts';
import { askerCredential } from './agents.ts';
import type { AskerTokenStore } from './asker-tokens.ts';

/**
 * Opens the access to the platform's documents. Returns undefined if neither `platform.credentials` nor an agent
 * provides a credential of the Open API. Where agents answer with the asker's own token, the documents are read with
 * that token too.
 */
export function openLibrary(
  config: Config,
  platform: Platform,
  { store, askers }: { readonly store: Store; readonly askers: AskerTokenStore },
): Library | undefined {
  const shared = credentialOf(config);
  const isAsked = Object.values(config.agents).some(({ credential }) => credential.kind === 'asker');
  const open = isAsked ? askerCredential(askers.secretOf, shared) : shared;
  return open && createLibrary(platform.client({ open }), store.keyed('documents'));
}

/** True if the configuration has a credential with which the platform's documents can be read. */
export const readsDocuments = (config: Config): boolean =>
  credentialOf(config) !== undefined ||
  Object.values(config.agents).some(({ credential }) => credential.kind === 'asker');

type Shared = Extract<Credentials['open'], { kind: 'client-account' | 'idp' }>;

function credentialOf({ platform, agents }: Config): Shared | undefined {
  const { open, idpTokenFile } = platform.credentials;
  if (open !== undefined) return { kind: 'client-account', ...open };
  if (idpTokenFile !== undefined) return { kind: 'idp', token: async () => idpTokenFile };
  return Object.values(agents)
    .map(({ credential }) => credential)
    .map((credential) => (credential.kind === 'asker' ? credential.elsewhere : credential))
    .find((credential) => credential?.kind === 'client-account');
}
