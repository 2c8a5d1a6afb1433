/**
 * The sandbox's fixed, documented data (platform contract FIX-1, FIX-2). `catalogue.json` is also read by programs that
 * configure themselves for the sandbox. None of it is secret: by default the sandbox listens on loopback only.
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
  /** Ids of the knowledge workspaces that it reads only where a request names them. */
  readonly leavesOut: readonly string[];
}

/** The asking account, as agents, chats and media see it. Its rights follow from its roles. */
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
 * Records of the first start; operations change the database's copy. The ids of people carry a time before any that the
 * sandbox issues, so ordering by id is ordering by creation.
 */
export const sandboxCatalogue = {
  ...catalogue,
  /** Account of chats by API key: a key belongs to no person and reads every workspace. */
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
