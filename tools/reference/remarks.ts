/**
 * Remarks that fit into no column of an operation's tables: rules about several fields, and steps before or after a
 * call.
 */

const SETTINGS =
  '`settings` is an object with the fields `useWorkspaceSetting` and `setting`. If `useWorkspaceSetting` is true, the platform ignores `setting`. The fields of `setting` are `mode` (`default` or `refine`), `maxLength` (maximum number of characters of a chunk, 1024 if absent), `overlap` (number of characters that two neighboring chunks share), `enable` (whether the platform reads the files), `previewEnable`, `documentOCR`, `ocrMode` (`read` or `layout`; applies only if `documentOCR` is true), `summaryEnable`, `summaryPrompt`, `imageRecognize`, `formulas` and `screenshots_by_page`. The client sends all other fields unchanged.';
const CONTENT =
  "`content` is a text or a list of parts. A part is `{ type: 'text', text: '…' }` or `{ type: 'image_ids', image_ids: ['…'] }`, with the ids that [uploadImages](images.md#uploadimages) returned.";
const IDS_IN =
  'If your deployment reads the ids from the query, set `platform.idsIn: query`. The client then sends the ids in the query as `ids=…&ids=…`, and no body.';

export const remarks: Readonly<Record<string, string>> = {
  clientToken:
    "The platform's documentation does not name the unit of `expiresIn`. The client assumes seconds. If the unit is minutes, the client renews the token earlier than necessary, which does no harm.",
  loginWithIdp: 'The token is valid for `expiresIn` minutes.',
  loginWithClient:
    'The signature is the MD5 hash of the text `client:…secret:…account:…timestamp:…nonce:…`, with the values in place of the dots and without separators between the pairs. A signature is valid for five minutes. The platform accepts each nonce only once. The token is valid for `expiresIn` minutes.',
  chatByKey: `The last message is the question, so the role of the last message must be \`user\` or \`human\`. ${CONTENT}`,
  chatByToken: `Send only the new question. The platform keeps the earlier messages of the conversation under \`conversationId\`. ${CONTENT}`,
  uploadImagesLegacy:
    'The platform will remove this operation. Use [uploadImages](#uploadimages) instead if the server supports it.',
  createClient: 'Store the secret safely: the platform never returns it again.',
  temporaryLinks:
    "The platform's documentation does not describe the form of the result. The client accepts one link as a text, a list of links, or an object with one entry for each file.",
  temporaryFile:
    'A temporary link works only with a token of the platform. The client sends the token only to the platform, even if a link or a redirect names another server.',
  fileDetail:
    "The platform's documentation does not describe the form of the result. The client looks for each field under its usual names, and leaves out fields that it does not find. Some servers need an empty object as the body of this request; to send it, set `platform.getDetailBody`.",
  previewFile:
    'Take all three fields from the result of [fileDetail](#filedetail). The `id` in that result may differ from the id of the document.',
  getAssistant: 'If the client sends `POST`, it sends `internal_use` in a JSON body instead of the query.',
  liteUploadFiles:
    "The platform's documentation names neither the encoding nor the credential of this request. The client sends a multipart form with the lite token.",
  askExpert:
    'To begin a conversation, omit `sessionId`. To continue the conversation, send the `session` of the latest answer as `sessionId`. This operation takes no images.',
  references:
    'If the list is empty, the sources may not be available yet; repeat the call after one or two seconds.',
  uploadFile: 'The function `waitIndexed` waits until retrieval can find the file.',
  uploadFiles:
    'The function `waitBatch` waits until the state of every file of the batch is `success` or `fail`.',
  batchStatus:
    'Each file succeeds or fails separately. The batch is finished when no file has the state `underway`.',
  editFileMetadata:
    'The platform deletes all metadata entries that the request does not contain. An empty list therefore deletes all metadata. To replace metadata without the risk of deleting all of it, call the function `setFileMetadata`, which refuses an empty list. To delete all metadata, call the function `clearFileMetadata`.',
  createQna: 'The platform returns no data of the new pair, so you do not get the id of the pair.',
  retrieve:
    'Give `query`, `keywords`, or both. With the `ragMode` `embedding`, the platform searches by meaning; with `fullText`, by words; with `hybrid`, by both. Give `weights` only with `hybrid`, and give `metadataSearchType` only together with `metadataProvider`. A keyword must not contain the character `|`, because the client sends all keywords as one text with `|` between the keywords.',
  createWorkspace: SETTINGS,
  updateWorkspace: `For each of the fields \`enable\`, \`notice\`, \`settings\` and \`metadataTemplate\`, either give the field or name it in \`omit\`. The platform's documentation does not say how the platform treats an absent field. ${SETTINGS}`,
  deleteWorkspaces: IDS_IN,
  createType:
    'The platform does not return the id of the new type. To find the type, call the function `findTypeByCode`.',
  deleteTypes: IDS_IN,
  enableTypes:
    'If your deployment accepts only one type in a request, set `platform.enableById`. The client then sends the field `id` instead of `ids`, and refuses a request with several ids.',
  createUsers: 'To create users from a CSV file, run `parley platform users import`.',
  updateUser:
    'Give `id` or `userName`. Send every field, because the platform deletes fields that the request does not contain. To change only some fields, call the function `changeUser` or run `parley platform users update`: both read the record first, and then send all fields.',
  getUser: 'The client refuses the code `me`. To read the user of the token, use the operation [me](#me).',
  setUserRoles:
    "The platform's documentation does not say whether the given roles replace the user's earlier roles or are added to them. To find out, read the result, which lists the roles that the user has after the call.",
  createOrg: 'Give `parentId` or `parentCode`.',
  updateOrg:
    'Give `id` or `code`, and also give `parentId` or `parentCode`. The parent must not be the organization itself or an organization below it.',
  unlinkOrgUsers:
    'For example, a request with two users and two organizations removes both users from both organizations.',
  orgUserPages:
    'One of the conditions must have the `fieldName` `OrganizationId` or `OrganizationCode`; the letter case of this name does not matter. The client refuses a request without such a condition.',
};
