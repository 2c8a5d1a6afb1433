/**
 * The fixed, documented data of the sandbox (platform contract FIX-1, FIX-2).
 * Plain data without imports, so that the command line can configure the embedded bridge from it.
 * None of it is secret: the sandbox listens on the loopback address unless it is told otherwise.
 */

export interface SandboxAgent {
  readonly name: string;
  readonly description: string;
  /** Header `api-key` of the lite interface. */
  readonly apiKey: string;
  /** Path member `{agent_id}` of the lite token chat. */
  readonly uuid: string;
  /** Body member `expertCode` of the Open API. */
  readonly expertCode: string;
  /** Whether the agent looks at images in the question. */
  readonly seesImages: boolean;
  /** Ids of the knowledge workspaces that it reads only where a request names them. */
  readonly leavesOut?: readonly string[];
}

/** Who is asking, as agents, chats and media see it: what an account may do follows from its roles. */
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

/** A person as the sandbox first knows them; the operations on users change the sandbox's copy. */
export interface SandboxPerson {
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

export interface SandboxRole {
  readonly id: string;
  readonly name: string;
  /** Who has it may write users, organizations, roles, bots, workspaces and types (platform contract AUT-17). */
  readonly administers: boolean;
  /** Ids of the knowledge workspaces that it opens. */
  readonly workspaces: readonly string[];
}

export interface SandboxOrganization {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** Id of the organization above; null at the top. */
  readonly parent: string | null;
}

export interface SandboxWorkspace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Id of its category. */
  readonly category: string;
}

/** The type of the knowledge workspaces that ship with the sandbox. */
export interface SandboxWorkspaceType {
  readonly id: string;
  readonly code: string;
  readonly title: readonly { readonly languageCode: string; readonly content: string }[];
  readonly icon: string;
  readonly sort: number;
  readonly description: string;
}

export interface SandboxCatalogue {
  readonly agents: readonly SandboxAgent[];
  /** What the console would say of the agents' keys, which do not end (platform contract AUT-18). */
  readonly key: { readonly channel: string; readonly description: string; readonly name: string };
  readonly accounts: readonly SandboxPerson[];
  readonly roles: readonly SandboxRole[];
  readonly organizations: readonly SandboxOrganization[];
  /** Whom a chat by API key counts as: a key belongs to no person and reads every workspace. */
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

const HANDBOOK = '4493041505002320001';
const PROJECT = '4493041505002320002';
const FOLDER = '4493041505002320003';
const DOCUMENTS = '4493041505002325001';
const COMPANY_KNOWLEDGE = '4493041505002326001';
const OWN_KNOWLEDGE = '4493041505002326002';

/** Ids of people carry a time before any that the sandbox issues, so ordering by id is ordering by creation. */
const ADMINISTRATORS = '1493041505002323001';
const STAFF = '1493041505002323002';
const PROJECT_TEAM = '1493041505002323003';
const COMPANY = '1493041505002324001';
const PROJECT_OFFICE = '1493041505002324002';

export const sandboxCatalogue: SandboxCatalogue = {
  agents: [
    {
      name: 'knowledge',
      description: 'Answers from the documents, with sources and pictures',
      apiKey: 'sandbox-key-knowledge',
      uuid: '5a1d0000-0000-4000-8000-000000000001',
      expertCode: 'knowledge',
      seesImages: true,
      leavesOut: [PROJECT],
    },
    {
      name: 'guide',
      description: "Answers questions about Parley from Parley's own pages",
      apiKey: 'sandbox-key-guide',
      uuid: '5a1d0000-0000-4000-8000-000000000009',
      expertCode: 'guide',
      seesImages: false,
      leavesOut: [HANDBOOK, FOLDER],
    },
    {
      name: 'echo',
      description: 'Repeats what you write',
      apiKey: 'sandbox-key-echo',
      uuid: '5a1d0000-0000-4000-8000-000000000002',
      expertCode: 'echo',
      seesImages: false,
    },
    {
      name: 'kb-demo',
      description: 'Lists the passages that it found, with references and tool results',
      apiKey: 'sandbox-key-kb-demo',
      uuid: '5a1d0000-0000-4000-8000-000000000003',
      expertCode: 'kb-demo',
      seesImages: false,
      leavesOut: [PROJECT],
    },
    {
      name: 'image-demo',
      description: 'Names the images that you send and shows them back',
      apiKey: 'sandbox-key-image-demo',
      uuid: '5a1d0000-0000-4000-8000-000000000004',
      expertCode: 'image-demo',
      seesImages: true,
    },
    {
      name: 'media-demo',
      description: 'Answers with an image and a file beside the text',
      apiKey: 'sandbox-key-media-demo',
      uuid: '5a1d0000-0000-4000-8000-000000000005',
      expertCode: 'media-demo',
      seesImages: false,
    },
    {
      name: 'slow-demo',
      description: 'Writes one character every 50 milliseconds, to try Stop',
      apiKey: 'sandbox-key-slow-demo',
      uuid: '5a1d0000-0000-4000-8000-000000000006',
      expertCode: 'slow-demo',
      seesImages: false,
    },
    {
      name: 'privacy-demo',
      description: 'Warns when a question holds an e-mail address or a phone number',
      apiKey: 'sandbox-key-privacy-demo',
      uuid: '5a1d0000-0000-4000-8000-000000000007',
      expertCode: 'privacy-demo',
      seesImages: false,
    },
    {
      name: 'fail-demo',
      description: 'Fails before, in the middle, or instead of the answer: say which word',
      apiKey: 'sandbox-key-fail-demo',
      uuid: '5a1d0000-0000-4000-8000-000000000008',
      expertCode: 'fail-demo',
      seesImages: false,
    },
  ],
  key: { channel: 'Bridge', description: 'For the embedded bridge', name: 'Fixed key' },
  accounts: [
    {
      id: '1493041505002321001',
      userId: '1493041505002322001',
      userName: 'admin',
      realName: 'Sandbox Administrator',
      email: 'admin@example.com',
      enabled: true,
      roles: [ADMINISTRATORS, STAFF],
      organizations: [COMPANY],
    },
    {
      id: '1493041505002321002',
      userId: '1493041505002322002',
      userName: 'member-one',
      realName: 'First Member',
      email: 'member-one@example.com',
      enabled: true,
      roles: [STAFF],
      organizations: [COMPANY],
    },
    {
      id: '1493041505002321003',
      userId: '1493041505002322003',
      userName: 'member-two',
      realName: 'Second Member',
      email: 'member-two@example.com',
      enabled: true,
      roles: [PROJECT_TEAM],
      organizations: [PROJECT_OFFICE],
    },
    {
      id: '1493041505002321004',
      userId: '1493041505002322004',
      userName: 'disabled',
      realName: 'Disabled Account',
      email: 'disabled@example.com',
      enabled: false,
      roles: [],
      organizations: [],
    },
  ],
  roles: [
    { id: ADMINISTRATORS, name: 'Administrators', administers: true, workspaces: [] },
    { id: STAFF, name: 'Staff', administers: false, workspaces: [HANDBOOK, PROJECT, FOLDER] },
    { id: PROJECT_TEAM, name: 'Project team', administers: false, workspaces: [PROJECT, FOLDER] },
  ],
  organizations: [
    { id: COMPANY, code: 'company', name: 'Company', parent: null },
    { id: PROJECT_OFFICE, code: 'project-office', name: 'Project office', parent: COMPANY },
  ],
  keyAccount: {
    id: '1493041505002321000',
    userName: 'api-key',
    realName: 'API key',
    email: '',
    role: 'admin',
    enabled: true,
    workspaces: [HANDBOOK, PROJECT, FOLDER],
  },
  workspaceType: {
    id: DOCUMENTS,
    code: 'documents',
    title: [{ languageCode: 'en-US', content: 'Documents' }],
    icon: '',
    sort: 1,
    description: 'Files that people read',
  },
  categories: [
    { id: COMPANY_KNOWLEDGE, name: 'Company', icon: '' },
    { id: OWN_KNOWLEDGE, name: 'Own folders', icon: '' },
  ],
  workspaces: [
    {
      id: HANDBOOK,
      name: 'handbook',
      description: 'The illustrated documents that ship with the sandbox',
      category: COMPANY_KNOWLEDGE,
    },
    {
      id: PROJECT,
      name: 'project',
      description: 'The documentation of the project itself',
      category: COMPANY_KNOWLEDGE,
    },
    {
      id: FOLDER,
      name: 'folder',
      description: 'The folder given with --knowledge',
      category: OWN_KNOWLEDGE,
    },
  ],
  liteClient: {
    clientId: 'sandbox-lite-client',
    clientSecret: 'sandbox-lite-secret',
    username: 'member-one',
  },
  openClient: { client: 'sandbox-open-client', secret: 'sandbox-open-secret', account: 'member-one' },
  idpTokens: [
    { token: 'sandbox-idp-admin', userName: 'admin' },
    { token: 'sandbox-idp-member-one', userName: 'member-one' },
    { token: 'sandbox-idp-member-two', userName: 'member-two' },
    { token: 'sandbox-idp-disabled', userName: 'disabled' },
  ],
  adminToken: 'sandbox-admin-token',
};
