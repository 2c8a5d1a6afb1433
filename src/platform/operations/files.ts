import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { answersMany, answersNothing, answersOne, answersPage } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import {
  anyText,
  choice,
  file,
  files,
  flag,
  integerId,
  number,
  raw,
  reported,
  text,
} from '../wire/members.ts';
import { metadataTemplate, paging } from './shared.ts';

const BASE = '/v1/openapi/workspace/file';
const operation = operationsOf('files', 'open');
const workspace = text('Name of the knowledge workspace');
const overwrite = flag('Whether the upload overwrites a file of the same name in the workspace', {
  name: 'eponymousCover',
}).default(false);

/** Uploads one file (platform contract FIL-1). The id is absent if the platform did not return it (DEC-25). */
export const uploadFile = operation({
  id: 'uploadFile',
  command: 'upload',
  doc: 'Uploads a file into a knowledge workspace. The platform indexes the file after the upload.',
  method: 'POST',
  path: `${BASE}/upload`,
  body: 'form',
  request: z.strictObject({ workspace, file: file('The file to upload'), overwrite }),
  ...answersOne(
    z.object({
      fileId: text('Id of the file', { aliases: ['id'] }).optional(),
      fileName: anyText('Name of the file', { aliases: ['name'] }).optional(),
      uploader: anyText('Person who uploaded the file').optional(),
    }),
  ),
});

/** Uploads several files and returns the id of the batch (platform contract FIL-2). */
export const uploadFiles = operation({
  id: 'uploadFiles',
  command: 'upload-many',
  doc: 'Uploads several files at once and returns the id of the batch.',
  method: 'POST',
  path: `${BASE}/upload/batchSubmit`,
  body: 'form',
  request: z.strictObject({ workspace, files: files('The files to upload'), overwrite }),
  ...answersOne(z.object({ stateId: text('Id of the batch', { aliases: ['id'] }) })),
});

const batchItem = z.object({
  fileId: text('Id of the file', { aliases: ['id'] }).optional(),
  fileName: anyText('Name of the file', { aliases: ['name'] }).optional(),
  state: reported(['underway', 'success', 'fail'], 'State of the file'),
  uploader: anyText('Person who uploaded the file').optional(),
  errorMsg: anyText('Why the file failed').optional(),
  finishTime: anyText('When the platform finished the file, in ISO 8601').optional(),
});
export type BatchItem = z.output<typeof batchItem>;

/** Returns the state of each file of a batch (platform contract FIL-3, STA-1). */
export const batchStatus = operation({
  id: 'batchStatus',
  command: 'batch',
  doc: 'Reports the state of each file of a batch.',
  method: 'GET',
  path: `${BASE}/upload/batchSubmit/{stateId}`,
  request: z.strictObject({ stateId: text('Id of the batch') }),
  ...answersMany(batchItem),
});

const STATES = ['waiting', 'underway', 'success', 'fail'] as const;

/** A file in a list. The fields depend on the platform's version (platform contract FIL-6). */
const fileItem = z.object({
  id: text('Id of the file', { aliases: ['fileId'] }),
  name: anyText('Name of the file', { aliases: ['fileName'] }).optional(),
  size: number('Size of the file in bytes').optional(),
  description: anyText('Description of the file').optional(),
  fullPath: anyText('Path of the file in the workspace').optional(),
  tags: z
    .array(z.object({ id: text('Id of the tag').optional(), value: anyText('Text of the tag').optional() }))
    .describe('Tags of the file')
    .optional(),
  chunkingState: reported(STATES, 'State of indexing; if it is success, retrieval finds the file').optional(),
  previewState: reported(STATES, 'State of the preview; if it is success, the file has a preview').optional(),
  fileCanPreview: flag('Whether the file can be previewed').optional(),
  previewUrl: anyText('Address of the preview of the file').optional(),
  createdByRealName: anyText('Person who created the file').optional(),
  createdByAccount: anyText('Account that created the file').optional(),
  modifiedByRealName: anyText('Person who last changed the file').optional(),
  modifiedByAccount: anyText('Account that last changed the file').optional(),
  created: anyText('When the file was created').optional(),
  modified: anyText('When the file was last changed').optional(),
  raw: raw(),
});
export type FileItem = z.output<typeof fileItem>;

/** Lists the files of a workspace, the most recently changed first (platform contract FIL-4, FIL-5, INC-18). */
export const listFiles = operation({
  id: 'listFiles',
  command: 'list',
  doc: 'Lists the files of a knowledge workspace. The most recently changed file comes first.',
  method: 'POST',
  path: BASE,
  retry: 'read',
  request: z.strictObject({ workspace, ...paging(10) }),
  ...answersPage(fileItem),
});

/** Lists the chunks of a file, with images as Markdown or HTML (platform contract FIL-7). */
export const fileChunks = operation({
  id: 'fileChunks',
  command: 'chunks',
  doc: 'Lists the chunks into which the platform has cut a file.',
  method: 'POST',
  path: `${BASE}/chunk`,
  retry: 'read',
  request: z.strictObject({
    fileId: text('Id of the file'),
    imageFormat: choice(['markdown', 'html'], 'Format of the images in the text of the chunks').default(
      'markdown',
    ),
    ...paging(10),
  }),
  ...answersPage(
    z.object({
      id: text('Id of the chunk').optional(),
      content: anyText('Text of the chunk'),
    }),
  ),
});

/** Downloads a file as Markdown (platform contract FIL-8). */
export const fileMarkdown = operation({
  id: 'fileMarkdown',
  command: 'markdown',
  doc: 'Downloads a file as Markdown.',
  method: 'POST',
  path: `${BASE}/downloadDocument2MD`,
  answer: 'bytes',
  retry: 'read',
  request: z.strictObject({ id: integerId('Id of the file') }),
  shape: 'one',
  response: z.instanceof(Uint8Array).describe('Markdown of the file'),
  read: (body) => body,
});

/** Deletes a file permanently (platform contract FIL-9). */
export const deleteFile = operation({
  id: 'deleteFile',
  command: 'delete',
  doc: 'Permanently deletes a file.',
  method: 'DELETE',
  path: `${BASE}/deleteFilePhysically`,
  body: 'none',
  destroys: true,
  request: z.strictObject({ id: integerId('Id of the file') }),
  ...answersNothing,
});

/**
 * Replaces all metadata of a file (platform contract FIL-10). A request without a template deletes the metadata; call
 * `clearFileMetadata` for that.
 */
export const editFileMetadata = operation({
  id: 'editFileMetadata',
  command: 'metadata',
  doc: 'Replaces all metadata of a file. Retrieval then uses the new metadata.',
  method: 'PUT',
  path: `${BASE}/metadataExpansionEdit`,
  request: z.strictObject({
    id: integerId('Id of the file'),
    metadataTemplate: wired(metadataTemplate, { as: 'json' }).describe(
      'All metadata entries of the file; an empty list removes all metadata',
    ),
  }),
  ...answersNothing,
});
