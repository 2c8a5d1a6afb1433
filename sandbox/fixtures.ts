/**
 * The sandbox's fixed data (platform contract FIX-1: agents; FIX-2: accounts). Programs that configure themselves for
 * the sandbox read `catalogue.json` too. The data is not secret, because by default, the sandbox listens only on the
 * loopback address.
 */

import catalogue from './catalogue.json' with { type: 'json' };

export interface SandboxAgent {
  readonly name: string;
  readonly description: string;
  /** Value of the header `api-key` in the lite interface. */
  readonly apiKey: string;
  /** Id in the path of the lite interface's token chat: `{agent_id}`. */
  readonly uuid: string;
  /** The `expertCode` of the agent in requests of the Open API. */
  readonly expertCode: string;
  /** True if the agent reads images that are attached to a question. */
  readonly seesImages: boolean;
  /** Ids of knowledge workspaces that the agent searches only if the request names them. */
  readonly leavesOut: readonly string[];
}

/** The caller's account, as agents, chats and media see it. Its rights follow from its roles. */
export interface SandboxAccount {
  readonly id: string;
  readonly userName: string;
  readonly realName: string;
  readonly email: string;
  readonly role: 'admin' | 'member' | 'none';
  readonly enabled: boolean;
  /** Ids of the knowledge workspaces that the account may read; an administrator reads all. */
  readonly workspaces: readonly string[];
}

/**
 * Records with which a new database begins; operations change only the database's copy. The ids of the people in these
 * records contain an earlier time than any id that the sandbox issues, so that sorting by id sorts by creation.
 */
export const sandboxCatalogue = {
  ...catalogue,
  /** Account for chats by API key. An API key belongs to no person, and may read every workspace. */
  keyAccount: {
    id: '1493041505002321000',
    userName: 'api-key',
    realName: 'API key',
    email: '',
    role: 'admin',
    enabled: true,
    workspaces: catalogue.workspaces.map(({ id }) => id),
  } satisfies SandboxAccount,
};

export type SandboxCatalogue = typeof sandboxCatalogue;

/** True if the account may use the knowledge workspace (platform contract AUT-17: permissions). */
export const mayUse = ({ role, workspaces }: SandboxAccount, workspace: string): boolean =>
  role === 'admin' || workspaces.includes(workspace);
