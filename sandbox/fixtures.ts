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
 * A person at first start; operations on users change the database's copy. The ids carry a time before any that the
 * sandbox issues, so ordering by id is ordering by creation.
 */
interface SandboxPerson {
  /** The account id; `userId` is another id of the same person (platform contract INC-19). */
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly realName: string;
  readonly email: string;
  readonly enabled: boolean;
  /** Ids of roles. */
  readonly roles: readonly string[];
  /** Ids of organizations. */
  readonly organizations: readonly string[];
}

interface SandboxRole {
  readonly id: string;
  readonly name: string;
  /** True if the role may write users, organizations, roles, bots, workspaces and types (platform contract AUT-17). */
  readonly administers: boolean;
  /** Ids of the knowledge workspaces that it opens. */
  readonly workspaces: readonly string[];
}

interface SandboxOrganization {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Id of the organization above; null at the top. */
  readonly parent: string | null;
}

interface SandboxWorkspace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Id of its category. */
  readonly category: string;
}

/** The type of the knowledge workspaces that ship with the sandbox. */
interface SandboxWorkspaceType {
  readonly id: string;
  readonly code: string;
  readonly title: readonly { readonly languageCode: string; readonly content: string }[];
  readonly icon: string;
  readonly sort: number;
  readonly description: string;
}

export interface SandboxCatalogue {
  readonly agents: readonly SandboxAgent[];
  /** Details of the agents' keys, as the platform's console shows them; the keys do not expire (platform contract AUT-18). */
  readonly key: { readonly channel: string; readonly description: string; readonly name: string };
  readonly accounts: readonly SandboxPerson[];
  readonly roles: readonly SandboxRole[];
  readonly organizations: readonly SandboxOrganization[];
  /** Account of chats by API key: a key belongs to no person and reads every workspace. */
  readonly keyAccount: SandboxAccount;
  readonly workspaceType: SandboxWorkspaceType;
  /** Categories of knowledge workspaces. */
  readonly categories: readonly { readonly id: string; readonly name: string; readonly icon: string }[];
  readonly workspaces: readonly SandboxWorkspace[];
  readonly liteClient: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly username: string;
  };
  readonly openClient: { readonly client: string; readonly secret: string; readonly account: string };
  /** Identity-provider tokens and the account that each one signs in. */
  readonly idpTokens: readonly { readonly token: string; readonly userName: string }[];
  readonly adminToken: string;
}

export const sandboxCatalogue: SandboxCatalogue = {
  ...catalogue,
  keyAccount: {
    id: '1493041505002321000',
    userName: 'api-key',
    realName: 'API key',
    email: '',
    role: 'admin',
    enabled: true,
    workspaces: catalogue.workspaces.map(({ id }) => id),
  },
};

/** True if the account may use the knowledge workspace (platform contract AUT-17). */
export const mayUse = ({ role, workspaces }: SandboxAccount, workspace: string): boolean =>
  role === 'admin' || workspaces.includes(workspace);
