/** Remarks on operations that do not fit into a table: rules between members, and steps before or after a call. */

const SETTINGS =
  '`settings` is an object: `useWorkspaceSetting` (true ignores the rest), and `setting` with `mode` (`default`, `refine`), `maxLength` (characters of a chunk, 1024 unless given), `overlap`, `enable` (whether files are read at all), `previewEnable`, `documentOCR`, `ocrMode` (`read`, `layout`; only with `documentOCR`), `summaryEnable`, `summaryPrompt`, `imageRecognize`, `formulas`, `screenshots_by_page`. Other members are kept as they are.';
const CONTENT =
  "`content` is a text, or parts: `{ type: 'text', text: '…' }` and `{ type: 'image_ids', image_ids: ['…'] }`, with the ids that [uploadImages](images.md#uploadimages) gave.";
const IDS_IN =
  'A deployment that reads the ids from the query is told so with `platform.idsIn: query`; they are then repeated as `ids=…&ids=…`.';

export const remarks: Readonly<Record<string, string>> = {
  clientToken:
    'The token is good for `expiresIn` seconds; no document names that unit, and seconds are the careful reading.',
  loginWithIdp: 'The token is good for `expiresIn` minutes.',
  loginWithClient:
    'The signature is the MD5 of `client:…secret:…account:…timestamp:…nonce:…`, with the values in place of the dots and nothing between the pairs. It holds for five minutes, and a nonce serves once. The token is good for `expiresIn` minutes.',
  chatByKey: `The last message is the question, so its role is \`user\` or \`human\`. ${CONTENT}`,
  chatByToken: `There is exactly one message: the platform holds the earlier ones under \`conversationId\`. ${CONTENT}`,
  uploadImagesLegacy:
    'The platform means to retire this form; use [uploadImages](#uploadimages) where a server has it.',
  createClient: 'Keep the secret where secrets are kept: it is never told again.',
  temporaryLinks:
    'The documents do not show the answer: a text, a list, or an object by file are all understood.',
  temporaryFile:
    'Links are no use without the token. The client sends the token to the platform only, whatever server a link or a redirect names.',
  fileDetail:
    'The documents do not show the answer. What is found under the usual names is told; `platform.getDetailBody` sends an empty object along, which some servers want.',
  previewFile:
    'All three members come from [fileDetail](#filedetail), whose id may differ from that of the document.',
  getAssistant: 'With `POST`, `internal_use` travels in a JSON body instead of the query.',
  liteUploadFiles:
    'The documents show neither the encoding nor the credential; a form with the lite token is what servers take.',
  askExpert:
    'Leave `sessionId` out to begin, and send the latest id that an answer told to go on. Images cannot be asked about here.',
  references: 'When the list is empty, ask once more after a second or two.',
  uploadFile: '`waitIndexed` waits until the file can be found.',
  uploadFiles: '`waitBatch` waits until each file has been read or has failed.',
  batchStatus: 'Each file has a fate of its own; a batch is done when none is `underway`.',
  editFileMetadata:
    'Entries that are not sent are gone. `setFileMetadata` and `clearFileMetadata` do the same with less room for accidents.',
  createQna: 'The platform tells nothing of the new pair, not even its id.',
  retrieve:
    'Give `query`, `keywords`, or both. `metadataSearchType` needs `metadataProvider`, and `weights` count with `ragMode` `hybrid` only. Keywords travel as one text with `|` between them, so none may hold that sign.',
  createWorkspace: SETTINGS,
  updateWorkspace: `Give \`enable\`, \`notice\`, \`settings\` and \`metadataTemplate\`, or name in \`omit\` those that you leave out on purpose: what the platform then does is not documented. ${SETTINGS}`,
  deleteWorkspaces: IDS_IN,
  createType: 'The platform tells no id; `findTypeByCode` looks for it in the list.',
  deleteTypes: IDS_IN,
  enableTypes:
    'A deployment that switches one type at a time is told so with `platform.enableById`; one `id` is sent then.',
  createUsers: '`parley platform users import` makes the list from a CSV file.',
  updateUser:
    'Give `id` or `userName`. Whatever is not sent is lost, so every member is needed; `changeUser`, and `parley platform users update` on the command line, read the record first and change what you name.',
  getUser: '`me` is no user code: it stands for the user of the token, see [me](#me).',
  setUserRoles:
    'No document says whether the roles are replaced or added to. What comes back is what the user has.',
  createOrg: 'Give `parentId` or `parentCode`.',
  updateOrg: 'Give `id` or `code`, and `parentId` or `parentCode`. An organization cannot move below itself.',
  unlinkOrgUsers: 'Every combination of the two lists is taken apart.',
  orgUserPages:
    'One of the conditions names `OrganizationId` or `OrganizationCode`, in whatever case; without it nothing is sent.',
};
