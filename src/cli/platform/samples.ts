/** Contains one example request per operation. The examples use the sandbox's data where possible. */

import type { AnyOperation } from '../../platform/api.ts';
import type { Input } from './inputs.ts';

const AGENT = '5a1d0000-0000-4000-8000-000000000001';
const FILE = '4493041505002323001';
const FOLDER = '4493041505002320003';
const TYPE = '4493041505002325001';
const CATEGORY = '4493041505002326001';
const ORGANIZATION = '1493041505002324002';
const USER = '1493041505002322002';
const QUESTION = 'How long is a visitor pass valid?';
const english = (content: string) => [{ languageCode: 'en-US', content }];

type Sample = Readonly<Record<string, unknown>>;

const people: Readonly<Record<string, Sample>> = {
  createUsers: { users: [{ userName: 'anna', userInfo: { realName: 'Anna', enable: true } }] },
  updateUser: {
    userName: 'anna',
    realName: 'Anna',
    spell: 'anna',
    serialNumber: '0042',
    nickName: '',
    gender: 'female',
    birthday: '',
    mobilePhone: '',
    email: 'anna@example.com',
    chatAccount: 'anna',
    avatar: '',
    region: '',
    joinTime: '2026-01-01T00:00:00Z',
    sort: 0,
    enable: true,
    description: '',
    external: false,
    officePhoneNumber: '',
    isIdp: false,
  },
  deleteUsers: { users: ['anna', 'bert'] },
  enableUser: { userCode: 'member-one' },
  disableUser: { userCode: 'member-one' },
  switchUsers: { codes: ['anna', 'bert'], operation: true },
  pageUsers: { conditions: [{ fieldName: 'userName', fieldValue: 'member', conditionalType: 'contains' }] },
  getUser: { userCode: 'member-one' },
  me: {},
  myRoles: {},
  userRoles: { userCode: 'member-one' },
  setUserRoles: { userCode: 'member-one', roles: ['Staff'] },
  createOrg: { code: 'lab', name: 'Lab', parentCode: 'company' },
  updateOrg: { name: 'Laboratory', code: 'lab', parentCode: 'company' },
  deleteOrgs: { organizations: ['lab'] },
  orgTree: {},
  pageOrgUsers: { pageSize: 50 },
  linkOrgUsers: { pairs: [{ organizationId: ORGANIZATION, userId: USER }] },
  unlinkOrgUsers: { organizationIds: [ORGANIZATION], userIds: [USER] },
  orgUserPages: {
    conditions: [{ fieldName: 'OrganizationCode', fieldValue: 'company', conditionalType: 'equal' }],
  },
};

const knowledge: Readonly<Record<string, Sample>> = {
  uploadFile: { workspace: 'handbook', file: 'guide.md' },
  uploadFiles: { workspace: 'handbook', files: ['guide.md', 'notes.md'] },
  batchStatus: { stateId: FILE },
  listFiles: { workspace: 'handbook' },
  fileChunks: { fileId: FILE },
  fileMarkdown: { id: FILE },
  deleteFile: { id: FILE },
  editFileMetadata: { id: FILE, metadataTemplate: [{ name: 'Owner', value: 'Facilities' }] },
  createQna: { workspace: 'handbook', questions: ['Where is the key?'], answer: 'Under the mat.' },
  retrieve: { query: 'visitor pass' },
  listWorkspaces: {},
  createWorkspace: { name: 'guides', workspaceTypeId: TYPE, classificationId: CATEGORY },
  updateWorkspace: {
    id: FOLDER,
    workspaceTypeId: TYPE,
    workspaceTypeName: 'Documents',
    name: 'folder',
    description: 'Your own documents',
    classificationId: CATEGORY,
    enable: true,
    omit: ['notice', 'settings', 'metadataTemplate'],
  },
  deleteWorkspaces: { ids: [FOLDER] },
  createType: {
    code: 'guide',
    title: english('Guides'),
    icon: '',
    sort: 2,
    description: 'How things are done',
  },
  updateType: {
    id: TYPE,
    code: 'documents',
    title: english('Documents'),
    icon: '',
    sort: 1,
    description: 'Files that people read',
  },
  deleteTypes: { ids: [TYPE] },
  getType: { id: TYPE },
  enableTypes: { ids: [TYPE], enable: false },
  typeDropdown: {},
};

export const samples: Readonly<Record<string, Sample>> = {
  ...people,
  ...knowledge,
  chatByKey: { messages: [{ role: 'user', content: QUESTION }] },
  chatByToken: { agentId: AGENT, messages: [{ role: 'user', content: QUESTION }] },
  uploadImages: { files: ['floor-plan.png'] },
  uploadImagesLegacy: { agentId: AGENT, files: ['floor-plan.png'] },
  createClient: { name: 'Intranet', trustedDomains: ['example.com'] },
  listClients: {},
  clientToken: { clientId: 'sandbox-lite-client', clientSecret: 'sandbox-lite-secret', username: 'admin' },
  temporaryLinks: { fileIds: [FILE] },
  temporaryFile: { signedFileIdentifier: 'c2lnbmVk' },
  fileDetail: { documentId: FILE },
  previewFile: { id: FILE, objectType: 'file', filetype: 1 },
  liteUser: { userId: '1493041505002321002' },
  createLiteUser: { username: 'lara', email: 'lara@example.com', realName: 'Lara' },
  createAssistant: { info: { name: 'Guide', is_published: true } },
  getAssistant: { robotId: AGENT },
  liteUploadFiles: { workspaceId: FOLDER, files: ['guide.md'] },
  loginWithIdp: { token: 'sandbox-idp-admin' },
  // The signature that the platform contract gives for this client with the secret demo-secret, and for this account,
  // time and nonce.
  loginWithClient: {
    client: 'demo-client',
    account: 'alice',
    timestamp: 1_700_000_000_000,
    nonce: 'a1b2c3',
    signature: '872534d23bd3789b6e48ae29424e7230',
  },
  askExpert: { expertCode: 'knowledge', content: QUESTION },
  references: { chatRecordId: FILE },
  createBot: { code: 'guide', names: english('Guide'), useKnowledgeBase: true },
};

/** Maximum positional arguments in an example. If more are needed, the example reads the request from a file. */
const MOST_PLACES = 6;

/** Returns an example command line for the operation. A shell accepts it unchanged. */
export function exampleOf({ id, capability, command }: AnyOperation, inputs: readonly Input[]): string {
  const sample = samples[id] ?? {};
  const given = inputs.filter(({ name }) => sample[name] !== undefined);
  const placed = given.filter(({ positional }) => positional);
  const words = (each: Input) => wordsOf(each, sample[each.name]);
  const rest =
    placed.length > MOST_PLACES
      ? ['--file', 'request.yaml']
      : [...placed, ...given.filter((each) => !placed.includes(each))].flatMap(words);
  return ['parley platform', capability, command, ...rest.map(shellWord)].join(' ');
}

function wordsOf(input: Input, value: unknown): readonly string[] {
  const { name, kind, positional } = input;
  const flag = `--${flagName(input)}`;
  if (name === 'conditions' && Array.isArray(value)) return value.flatMap((each) => ['--where', where(each)]);
  if (kind === 'switch') return [value === false ? `--no-${flagName(input)}` : flag];
  if (kind === 'secret') return [flag, `${input.flag}.txt`];
  if (kind === 'yaml') return [flag, flow(value)];
  const values = Array.isArray(value) ? value.map(String) : [String(value)];
  return positional ? values : values.flatMap((each) => [flag, each]);
}

export const flagName = ({ flag, kind }: Input): string => (kind === 'secret' ? `${flag}-file` : flag);

const MARKS: Readonly<Record<string, string>> = { contains: '~', equal: '=' };

function where(condition: { fieldName: string; fieldValue: string; conditionalType: string }): string {
  const { fieldName, fieldValue, conditionalType } = condition;
  return `${fieldName}${MARKS[conditionalType] ?? ` ${conditionalType} `}${fieldValue}`;
}

/** Formats a value as YAML on one line. Quotes a text that YAML would read as another type, such as `true`. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}: ${flow(each)}`)
      .join(', ')}}`;
  }
  const plain = typeof value === 'string' && /^[A-Za-z][\w .?@-]*$/.test(value);
  return plain && !/^(true|false|null|yes|no|on|off)$/i.test(value) ? value : JSON.stringify(value);
}

const shellWord = (word: string): string =>
  /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
