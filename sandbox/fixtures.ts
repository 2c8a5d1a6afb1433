/**
 * Fixed, documented data of the sandbox (platform contract FIX-1, FIX-2). Programs that configure themselves for the
 * sandbox read `catalogue.json` too. The data is not secret: by default the sandbox listens on loopback only.
 */

import catalogue from './catalogue.json' with { type: 'json' };

export interface SandboxAgent {
  readonly name: string;
  readonly description: string;
  /** Header `api-key` of the lite interface. */
  readonly apiKey: string;
  /** Path member `{agent_id}` of the lite token chat. */
  readonly uuid: string;
  /** Body member `expertCode` of the Open API. */
  readonly expertCode: string;
  /** True if the agent reads images in the question. */
  readonly seesImages: boolean;
  /** Ids of the knowledge workspaces that the agent searches only if a request names them. */
  readonly leavesOut: readonly string[];
}

/** Account of the caller for agents, chats and media. Its rights follow from its roles. */
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
 * Records for the first start. Operations change the copy in the database. The ids of people contain a time
 * before any id that the sandbox issues, so that sorting by id gives the order of creation.
 */
export const sandboxCatalogue = {
  ...catalogue,
  /** Account of chats by API key. A key belongs to no person and may read every workspace. */
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

/** True if the account may use the knowledge workspace (platform contract AUT-17). */
export const mayUse = ({ role, workspaces }: SandboxAccount, workspace: string): boolean =>
  role === 'admin' || workspaces.includes(workspace);
