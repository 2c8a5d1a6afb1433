/** The setting of the PostgreSQL database that several replicas share. */

import { z } from 'zod';
import { type Environment, secretSetting } from '../settings/secret.ts';
import { type Fault, isTree, type Tree, valueAt } from '../settings/tree.ts';
import { KEY_CHARACTERS, type SecretCheck } from '../settings/values.ts';

export const KEY_CURE = `Set PARLEY_KEY to ${KEY_CHARACTERS} random characters or more, such as the output of \`openssl rand -hex 32\`.`;

const ADDRESS_CURE = 'Give an address like postgres://user:password@host:5432/database.';

export const databaseSetting = (environment: Environment) =>
  z
    .strictObject({
      url: secretSetting(
        environment,
        'Address of the PostgreSQL database, postgres://user:password@host:5432/database',
      ).superRefine(postgresAddress),
      installation: z
        .string()
        .regex(/^[\w.-]{1,40}$/, 'must be 1 to 40 letters, digits, dots, dashes')
        .default('parley')
        .describe(
          'Name of this installation, the same for all its replicas; a database of another installation is refused',
        ),
    })
    .describe(
      'The database that several replicas share; if absent, one process keeps its data in the data folder',
    );

/** Checks the parts of the address that `pg` would otherwise replace by defaults. Prints no part of the address. */
const postgresAddress: SecretCheck = (secret, context) => {
  const fault = faultOf(secret.reveal().trim());
  if (fault === undefined) return;
  context.addIssue({ code: 'custom', message: fault.what, params: { cure: fault.cure } });
};

function faultOf(address: string): Pick<Fault, 'what' | 'cure'> | undefined {
  if (/^postgres(ql)?:\/\/[^/]*,/.test(address)) {
    const cure = 'Name one address that always leads to the server that accepts writes.';
    return { what: 'names several servers', cure };
  }
  const url = URL.parse(address);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    return { what: 'is not an address of PostgreSQL', cure: ADDRESS_CURE };
  }
  if (url.hostname === '' && !url.searchParams.has('host')) {
    return { what: 'names no host', cure: ADDRESS_CURE };
  }
  if (url.pathname.length <= 1) return { what: 'names no database', cure: ADDRESS_CURE };
  return undefined;
}

/**
 * Returns the missing settings that a database requires.
 * @param ownAgents true if the agents are configured, false if they are the sandbox's
 */
export function databaseNeeds(tree: Tree, ownAgents: boolean): readonly Fault[] {
  if (!isTree(tree.database)) return [];
  const what = 'is missing';
  const key = { path: ['key'], what, cure: `All replicas derive their keys from it. ${KEY_CURE}` };
  const platform = {
    path: ['platform', 'baseUrl'],
    what,
    cure: 'Each replica would start a sandbox of its own. Set PLATFORM_BASE_URL; `parley sandbox` runs one sandbox for all.',
  };
  const isSandbox = !ownAgents && valueAt(tree, platform.path) === undefined;
  return [...(tree.key === undefined ? [key] : []), ...(isSandbox ? [platform] : [])];
}
