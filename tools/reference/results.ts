/**
 * Schemas of a result's `data`. They are written by hand where the platform's documentation gives no schema, or where
 * our client accepts several shapes of `data`.
 */

import type { Json } from './wire-schema.ts';

const text = (description: string): Json => ({ type: 'string', description });
const object = (properties: Json): Json => ({ type: 'object', properties });
const list = (items: Json): Json => ({ type: 'array', items });

const int64 = (description: string): Json => ({ type: 'integer', format: 'int64', description });

/** Returns the schema of a result that is not documented. Its example is the response of the sandbox. */
const undocumented = (what: string, example: unknown): Json => ({
  description: `${what}. The form is not documented; the example shows what the sandbox sends.`,
  examples: [example],
});

const liteAnswer = (more: Json = {}): Json =>
  object({
    full_output: text('The answer, as Markdown'),
    tool_result: { description: 'Tool results, if they were requested' },
    ...more,
  });

const token = object({
  access_token: text('The access token'),
  expires_in: {
    type: 'number',
    description: 'Lifetime of the token, in minutes in the Open API and in seconds in the lite interface',
  },
});

const media = object({
  type: text('image or file'),
  name: { type: ['string', 'null'] },
  url: text('Address of the image or file'),
});

const thought = object({
  thought: text('What the agent did'),
  pluginName: text('The plugin that the agent used'),
  elapsedTime: object({ model: { type: 'number' }, action: { type: 'number' }, total: { type: 'number' } }),
  state: text('Result of the step: the word success or another word'),
});

const hit = object({
  chunkId: text('Id of the chunk'),
  fileId: text('Id of the file of the chunk'),
  fileName: text('Name of the file'),
  content: text('Text of the chunk'),
  metadata: {
    type: ['object', 'string'],
    description: 'Metadata of the file; some servers send it as JSON in a string',
  },
  url: { type: ['string', 'null'] },
  searchScore: { type: ['number', 'null'] },
  rrfScore: { type: ['number', 'null'] },
  rerankScore: { type: ['number', 'null'] },
  workspaceId: text('Id of the knowledge workspace'),
  workspaceName: text('Name of the knowledge workspace'),
});

/** Schema of a result's `data`, by operation. */
export const results: Readonly<Record<string, Json>> = {
  chatByKey: liteAnswer(),
  chatByToken: liteAnswer({ conversation_id: text('Id of the conversation') }),
  uploadImages: object({ ids: list(text('Id of an image')) }),
  uploadImagesLegacy: object({ ids: list(text('Id of an image')) }),
  clientToken: object({ ...(token.properties as Json), token_type: text('Bearer') }),
  loginWithIdp: token,
  loginWithClient: token,
  temporaryLinks: undocumented('Temporary links by file', [
    { file_id: '700007', url: 'http://127.0.0.1:3001/webapi/knowledge/v1/file/ekb-temporary-file/c2lnbmVk' },
  ]),
  fileDetail: undocumented('Name and types of the document', {
    id: '94493041505002323001',
    document_id: '4493041505002323001',
    file_name: 'badges-and-visitors.md',
    filetype: 1,
    objectType: 'file',
    size: 2623,
  }),
  previewFile: undocumented('Address at which the document can be viewed', {
    url: 'http://127.0.0.1:3001/share/document/4493041505002323001',
  }),
  listClients: undocumented('The clients', {
    items: [
      {
        client_id: 'sandbox-lite-client',
        name: 'Sandbox',
        description: '',
        'trusted domains': [],
        created_at: '2026-01-01T00:00:00Z',
      },
    ],
    total: 1,
    page: 1,
    page_size: 20,
  }),
  liteUploadFiles: list(
    object({
      workspaceId: int64('Id of the knowledge workspace'),
      fullName: text('Full path of the file'),
      id: int64('Id of the file'),
    }),
  ),
  listWorkspaces: list(
    object({
      id: int64('Id of the category'),
      name: text('Name of the category'),
      icon: { type: ['string', 'null'], description: 'Picture of the category' },
      workspaces: list(
        object({
          id: text('Id of the knowledge workspace'),
          name: text('Name of the workspace; requests for files use this name'),
          description: { type: ['string', 'null'] },
          operationKeys: list(text('What the caller may do in the workspace')),
          fileCount: { type: 'number', description: 'Number of files in the workspace' },
        }),
      ),
    }),
  ),
  askExpert: object({
    chatRecordId: text(
      'Id of the record of the answer; with this id, the operation `references` lists the sources',
    ),
    sessionId: text('Id of the session; to continue the session, send this id with the next question'),
    content: text('The answer, or a part of it'),
    medias: list(media),
    suggestionQuestions: list(text('A suggested question')),
    thoughts: list(thought),
    finish_reason: {
      type: ['string', 'null'],
      description: 'The value stop marks the last part of the answer',
    },
  }),
  references: list(
    object({
      title: text('Title'),
      content: text('The passage'),
      score: { type: ['number', 'null'], description: 'Relevance from 0 to 1; higher is more relevant' },
      url: { type: ['string', 'null'], description: 'Address of the source; only files have an address' },
      type: text('document, image, QnA or other'),
    }),
  ),
  createBot: text('Id of the new bot'),
  createWorkspace: text('Id of the new workspace'),
  retrieve: object({ searchId: text('Id of the search'), results: list(hit) }),
};
