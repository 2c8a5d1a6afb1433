/**
 * Remarks that fit into no column of an operation's tables: rules about several members, and steps before or after a
 * call.
 */

const SETTINGS =
  '`settings` is an object with two members: `useWorkspaceSetting` (true ignores the other member) and `setting`. The members of `setting` are `mode` (`default`, `refine`), `maxLength` (characters of a chunk, 1024 unless given), `overlap`, `enable` (whether files are read at all), `previewEnable`, `documentOCR`, `ocrMode` (`read`, `layout`; only with `documentOCR`), `summaryEnable`, `summaryPrompt`, `imageRecognize`, `formulas`, `screenshots_by_page`. Other members are sent unchanged.';
const CONTENT =
  "`content` is a text, or parts: `{ type: 'text', text: '…' }` and `{ type: 'image_ids', image_ids: ['…'] }`, with the ids that [uploadImages](images.md#uploadimages) gave.";
const IDS_IN =
  'If a deployment reads the ids from the query, set `platform.idsIn: query`; they are then sent as `ids=…&ids=…`.';

export const remarks: Readonly<Record<string, string>> = {
  clientToken:
    'The token is valid for `expiresIn` seconds. The unit is not documented; seconds are the safe assumption.',
  loginWithIdp: 'The token is valid for `expiresIn` minutes.',
  loginWithClient:
    'The signature is the MD5 of `client:…secret:…account:…timestamp:…nonce:…`, with the values in place of the dots and no separator between the pairs. It is valid for five minutes, and a nonce works once. The token is valid for `expiresIn` minutes.',
  chatByKey: `The last message is the question, so its role is \`user\` or \`human\`. ${CONTENT}`,
  chatByToken: `Send exactly one message: the platform keeps the earlier ones under \`conversationId\`. ${CONTENT}`,
  uploadImagesLegacy:
    'The platform will remove this operation. Use [uploadImages](#uploadimages) instead if the server supports it.',
  createClient: 'Store the secret safely: the platform never returns it again.',
  temporaryLinks:
    'The form of the answer is not documented: the client accepts a text, a list, or an object with one entry per file.',
  temporaryFile:
    'Links do not work without the token. The client sends the token only to the platform, even if a link or a redirect names another server.',
  fileDetail:
    'The form of the answer is not documented. The client returns the members that it finds under the usual names. `platform.getDetailBody` sends an empty object with the request, which some servers need.',
  previewFile:
    'All three members come from [fileDetail](#filedetail), whose id may differ from that of the document.',
  getAssistant: 'With `POST`, `internal_use` is sent in a JSON body instead of the query.',
  liteUploadFiles:
    'The encoding and the credential are not documented; servers accept a form with the lite token.',
  askExpert:
    'Omit `sessionId` to begin a conversation. To continue it, send the `sessionId` of the latest answer. This operation takes no images.',
  references: 'If the list is empty, call again after one or two seconds.',
  uploadFile: 'The function `waitIndexed` waits until retrieval can find the file.',
  uploadFiles: 'The function `waitBatch` waits until each file has been read or has failed.',
  batchStatus: 'Each file succeeds or fails separately. A batch is done when no file is `underway`.',
  editFileMetadata:
    'Entries that are not sent are deleted. The functions `setFileMetadata` and `clearFileMetadata` change the metadata more safely.',
  createQna: 'The platform returns no data of the new pair, not even its id.',
  retrieve:
    'Give `query`, `keywords`, or both. `metadataSearchType` needs `metadataProvider`, and `weights` apply only with `ragMode` `hybrid`. Keywords are sent as one text with `|` between them, so a keyword must not contain that character.',
  createWorkspace: SETTINGS,
  updateWorkspace: `Give \`enable\`, \`notice\`, \`settings\` and \`metadataTemplate\`, or list in \`omit\` the members that you leave out on purpose, because the platform's behavior without them is not documented. ${SETTINGS}`,
  deleteWorkspaces: IDS_IN,
  createType: 'The platform returns no id. The function `findTypeByCode` finds the type in the list.',
  deleteTypes: IDS_IN,
  enableTypes:
    'If a deployment enables and disables one type at a time, set `platform.enableById`. The client then sends a single `id`.',
  createUsers: '`parley platform users import` makes the list from a CSV file.',
  updateUser:
    'Give `id` or `userName`. Members that are not sent are deleted, so send every member. The function `changeUser` and the command `parley platform users update` read the record first and change only the given members.',
  getUser: '`me` is not the code of a user. It means the user of the token (see [me](#me)).',
  setUserRoles:
    'It is not documented whether the roles are replaced or added. The result lists the roles that the user has.',
  createOrg: 'Give `parentId` or `parentCode`.',
  updateOrg: 'Give `id` or `code`, and `parentId` or `parentCode`. An organization cannot move below itself.',
  unlinkOrgUsers: 'Every user in `userIds` is removed from every organization in `organizationIds`.',
  orgUserPages:
    'One of the conditions names `OrganizationId` or `OrganizationCode`, in upper or lower case; without it, the client refuses the request.',
};
