/** Access to the documents of a platform, if the configuration has a credential for it. */

import { MAIN } from '../config/platform-setting.ts';
import { type Config, type CredentialSettings, credentialOf } from '../config/schema.ts';
import type { Library } from '../core/agents/library.ts';
import { type Credentials, createLibrary, type Platform } from '../platform/index.ts';
import type { Store } from '../store/index.ts';
import { askerCredential } from './agents.ts';
import type { AskerTokenStore } from './asker-tokens.ts';

export interface LibraryDeps {
  readonly store: Pick<Store, 'keyed'>;
  readonly askers: Pick<AskerTokenStore, 'secretOf'>;
}

/**
 * Opens the access to a platform's documents. Returns undefined if neither the platform's `credentials` nor an agent
 * provides a credential of the Open API. Where agents answer with the asker's own token, the documents are read with
 * that token too.
 */
export function openLibrary(
  config: Config,
  name: string,
  platform: Platform,
  { store, askers }: LibraryDeps,
): Library | undefined {
  const shared = sharedCredential(config, name);
  const open = isAsked(config, name) ? askerCredential(askers.secretOf, shared) : shared;
  const known = store.keyed(name === MAIN ? 'documents' : `documents ${name}`);
  return open && createLibrary(platform.client({ open }), known);
}

/** True if the configuration has a credential with which the platform's documents can be read. */
export const readsDocuments = (config: Config, name: string): boolean =>
  sharedCredential(config, name) !== undefined || isAsked(config, name);

const credentialsOn = ({ agents }: Config, name: string): readonly (CredentialSettings | undefined)[] =>
  Object.values(agents)
    .filter(({ platform }) => platform === name)
    .map(credentialOf);

const isAsked = (config: Config, name: string): boolean =>
  credentialsOn(config, name).some((credential) => credential?.kind === 'asker');

type Shared = Extract<Credentials['open'], { kind: 'client-account' | 'idp' }>;

function sharedCredential(config: Config, name: string): Shared | undefined {
  const { open, idpTokenFile } = config.platforms[name]?.credentials ?? {};
  if (open !== undefined) return { kind: 'client-account', ...open };
  if (idpTokenFile !== undefined) return { kind: 'idp', token: async () => idpTokenFile };
  return credentialsOn(config, name)
    .map((credential) => (credential?.kind === 'asker' ? credential.elsewhere : credential))
    .find((credential) => credential?.kind === 'client-account');
}
