/** The requests of a live check of the platform. A request with an undefined value cannot be sent. */

/** Returns a value of an earlier operation's result by its path, such as `workspaces.name`. */
export type Seen = (operation: string, path: string) => unknown;
type Requests = Readonly<Record<string, (seen: Seen) => Readonly<Record<string, unknown>>>>;

const QUESTION = 'How long is a visitor pass valid?';
/** Code and name of everything that the check creates, and deletes again. */
const OWN = 'parley-live-check';
const PAGE = { pageIndex: 1, pageSize: 10 };

/** By the id of the operation, in the order of the calls. */
export const reads: Requests = {
  me: () => ({}),
  myRoles: () => ({}),
  userRoles: (seen) => ({ userCode: seen('me', 'userName') }),
  getUser: (seen) => ({ userCode: seen('me', 'userName') }),
  pageUsers: () => PAGE,
  orgTree: () => ({}),
  pageOrgUsers: () => PAGE,
  orgUserPages: (seen) => ({ ...PAGE, conditions: conditionsOn(seen('orgTree', 'code')) }),
  listWorkspaces: () => ({}),
  typeDropdown: () => ({}),
  getType: (seen) => ({ id: seen('typeDropdown', 'id') }),
  listFiles: (seen) => ({ workspace: seen('listWorkspaces', 'workspaces.name') }),
  fileChunks: (seen) => ({ fileId: seen('listFiles', 'id') }),
  fileDetail: (seen) => ({ documentId: seen('listFiles', 'id') }),
  previewFile: (seen) => ({
    id: seen('fileDetail', 'id'),
    objectType: seen('fileDetail', 'objectType'),
    filetype: seen('fileDetail', 'filetype'),
  }),
  retrieve: () => ({ query: QUESTION }),
  listClients: () => PAGE,
  liteUser: (seen) => ({ userId: seen('me', 'id') }),
};

const conditionsOn = (code: unknown) =>
  code === undefined
    ? undefined
    : [{ fieldName: 'OrganizationCode', fieldValue: code, conditionalType: 'equal' }];

/** Questions leave a record; organizations and users are deleted again. */
export const writes: Requests = {
  chatByKey: () => ({ messages: [{ role: 'user', content: QUESTION }] }),
  createOrg: () => ({ code: OWN, name: OWN, parentId: '-1' }),
  createUsers: () => ({
    users: [{ userName: OWN, active: false, userInfo: { realName: OWN, enable: false } }],
  }),
  updateOrg: (seen) => ({ id: seen('createOrg', 'id'), name: OWN, parentId: '-1' }),
  enableUser: (seen) => ({ userCode: seen('createUsers', 'userName') && OWN }),
  disableUser: (seen) => ({ userCode: seen('createUsers', 'userName') && OWN }),
  deleteUsers: (seen) => ({ users: seen('createUsers', 'userName') && [OWN] }),
  deleteOrgs: (seen) => ({ organizations: seen('createOrg', 'code') && [OWN] }),
};
