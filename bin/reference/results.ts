/**
 * What the platform answers with where no document shows a shape that a schema could be read by, or where the client
 * looks in many places: the documented form of `data`.
 */

import type { Json } from './wire-schema.ts';

const text = (description: string): Json => ({ type: 'string', description });
const object = (properties: Json): Json => ({ type: 'object', properties });
const list = (items: Json): Json => ({ type: 'array', items });

const liteAnswer = (more: Json = {}): Json =>
  object({
    full_output: text('The answer, Markdown'),
    tool_result: { description: 'Tool results, if asked for' },
    ...more,
  });

const token = object({
  access_token: text('The access token'),
  expires_in: {
    type: 'number',
    description: 'Its life: minutes in the Open API, seconds in the lite interface',
  },
});

const media = object({
  type: text('image or file'),
  name: { type: ['string', 'null'] },
  url: text('Where it is'),
});

const thought = object({
  thought: text('What the agent did'),
  pluginName: text('With what'),
  elapsedTime: object({ model: { type: 'number' }, action: { type: 'number' }, total: { type: 'number' } }),
  state: text('success, or another word'),
});

const hit = object({
  chunkId: text('The chunk'),
  fileId: text('Its file'),
  fileName: text('Name of the file'),
  content: text('Its text'),
  metadata: { type: 'object', description: 'What is known of the file' },
  url: { type: ['string', 'null'] },
  searchScore: { type: ['number', 'null'] },
  rrfScore: { type: ['number', 'null'] },
  rerankScore: { type: ['number', 'null'] },
  workspaceId: text('The knowledge workspace'),
  workspaceName: text('Its name'),
});

/** Shapes of `data` by operation. An empty schema means that the documents do not show it. */
export const results: Readonly<Record<string, Json>> = {
  chatByKey: liteAnswer(),
  chatByToken: liteAnswer({ conversation_id: text('The conversation') }),
  uploadImages: object({ ids: list(text('Id of an image')) }),
  uploadImagesLegacy: object({ ids: list(text('Id of an image')) }),
  clientToken: object({ ...(token.properties as Json), token_type: text('Bearer') }),
  loginWithIdp: token,
  loginWithClient: token,
  temporaryLinks: { description: 'Links by file; the documents do not show how' },
  fileDetail: { description: 'File name, type and objectType; the documents do not show how' },
  previewFile: { description: 'An address or content; the documents do not show how' },
  askExpert: object({
    chatRecordId: text('Its record, for the references'),
    sessionId: text('The session to go on with'),
    content: text('The answer, or a part of it'),
    medias: list(media),
    suggestionQuestions: list(text('A question that could follow')),
    thoughts: list(thought),
    finish_reason: { type: ['string', 'null'], description: 'stop on the last part' },
  }),
  references: list(
    object({
      title: text('Title'),
      content: text('The fragment'),
      score: { type: ['number', 'null'], description: '0 to 1' },
      url: { type: ['string', 'null'], description: 'Only sources that are files have one' },
      type: text('document, image, QnA or other'),
    }),
  ),
  createBot: text('Id of the new bot'),
  createWorkspace: text('Id of the new workspace'),
  retrieve: object({ searchId: text('Id of the search'), items: list(hit) }),
};
