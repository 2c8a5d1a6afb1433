import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { asList, type Fields, finderIn, idOf, isFields, numberOf, one, textOf } from '../shapes.ts';
import { dataOf, documented } from '../wire/answers.ts';
import { wired } from '../wire/facts.ts';
import { anyText, number, text } from '../wire/members.ts';

const operation = operationsOf('media', 'bearer');

/** Maximum number of file ids in one call (platform contract MED-1). */
const MAX_LINKS = 50;

/**
 * A link as the platform sent it, possibly relative. A link without an id belongs to the requested id at the same
 * position.
 */
const link = z.object({
  id: z.string().describe('Id of the file to which the link leads').optional(),
  link: z.string().describe('The temporary link'),
});
export type Link = z.infer<typeof link>;

/**
 * Exchanges file ids for temporary links (platform contract MED-1, MED-2, DEC-17). Links expire, and opening one
 * requires the token.
 */
export const temporaryLinks = operation({
  shape: 'many',
  id: 'temporaryLinks',
  command: 'links',
  doc: 'Returns temporary links to files of an answer, by the ids of the files.',
  method: 'POST',
  path: '/webapi/knowledge/v1/file/ekb-temporary',
  request: z.strictObject({
    fileIds: wired(z.array(z.string().min(1)).min(1).max(MAX_LINKS).describe('Ids of files in an answer'), {
      name: 'file_id',
    }),
    locale: text("Language of the platform's own messages", { in: 'header' }).default('en-US'),
  }),
  response: z.array(link),
  read: (body) => {
    const links = typeof body === 'string' && !body.includes('/') ? [] : readLinks(dataOf(body) ?? body);
    return links.length > 0 || asList(dataOf(body))?.length === 0 ? links : undefined;
  },
});

const LINK_NAMES = ['url', 'link', 'temporary_url', 'path'];
const FILE_ID_NAMES = ['file_id', 'fileId', 'id'];

function readLinks(data: unknown): unknown[] {
  if (typeof data === 'string') return [{ link: data }];
  const list = asList(data);
  if (list !== undefined) return list.flatMap(readLink);
  if (!isFields(data)) return [];
  const inner = finderIn(data)(['urls', 'links', 'list']);
  if (inner !== undefined) return readLinks(inner);
  if (textOf(data, LINK_NAMES) !== undefined) return readLink(data);
  return Object.entries(data).flatMap(([key, value]) => keyedLink(key, value));
}

function readLink(item: unknown): unknown[] {
  if (typeof item === 'string') return [{ link: item }];
  if (!isFields(item)) return [];
  const written = textOf(item, LINK_NAMES);
  return written === undefined ? [] : [{ id: idOf(item, FILE_ID_NAMES), link: written }];
}

/**
 * Reads one entry of an object whose keys are file ids. Only keys with digits are ids; the names of an envelope's
 * fields contain no digits.
 */
function keyedLink(key: string, value: unknown): unknown[] {
  const written = isFields(value) ? textOf(value, LINK_NAMES) : value;
  return typeof written === 'string' && /\d/.test(key) ? [{ id: key, link: written }] : [];
}

/**
 * Fetches the content behind a temporary link (platform contract MED-3). Call it through `media/fetch.ts`, which also
 * checks redirects.
 */
export const temporaryFile = operation({
  shape: 'one',
  id: 'temporaryFile',
  command: 'file',
  doc: 'Downloads the file to which a temporary link leads.',
  method: 'GET',
  path: '/webapi/knowledge/v1/file/ekb-temporary-file/{signed_file_identifier}',
  answer: 'bytes',
  request: z.strictObject({
    signedFileIdentifier: text('The last segment of the path of a temporary link', {
      name: 'signed_file_identifier',
    }),
  }),
  response: z.instanceof(Uint8Array),
  read: (body) => body,
});

/**
 * The platform's record of a document (platform contract DEC-18). Fields are absent if the platform did not send them.
 */
const detail = z.object({
  id: text('Id with which previewFile finds the document').optional(),
  name: z.string().describe('Name of the document').optional(),
  filetype: z.number().describe('File type of the document, as a number').optional(),
  objectType: z.string().describe('Object type of the document').optional(),
});
export type Detail = z.infer<typeof detail>;

/** Reads the name and types of a document (platform contract MED-4, DEC-18). */
export const fileDetail = operation({
  shape: 'one',
  id: 'fileDetail',
  command: 'detail',
  doc: 'Reads the name, the file type and the object type of a document that an answer used.',
  method: 'GET',
  path: '/webapi/knowledge/v1/rag/get_detail',
  request: z.strictObject({
    documentId: text('Id of a document that an answer used', { name: 'document_id' }),
  }),
  response: detail,
  adapt: (parts, { getDetailBody }) => (getDetailBody ? { ...parts, json: {} } : parts),
  read: (body) => documented(readDetail(one(dataOf(body)) ?? one(body) ?? {})),
});

function readDetail(data: Fields): unknown {
  return {
    id: idOf(data, ['id', 'file_id', 'fileId', 'ekb_id']),
    name: textOf(data, ['file_name', 'fileName', 'name', 'title', 'document_name', 'full_name']),
    filetype: numberOf(data, ['filetype', 'file_type', 'fileType', 'type', 'extension', 'ext']),
    objectType: idOf(data, ['objectType', 'object_type']),
  };
}

/**
 * Requests the address of a document's preview (platform contract MED-5). `link` is absent if the answer contains no
 * recognizable link (DEC-19).
 */
export const previewFile = operation({
  shape: 'one',
  id: 'previewFile',
  command: 'preview',
  doc: 'Returns an address at which people can view a document.',
  method: 'POST',
  path: '/webapi/knowledge/v1/file/ekb-preview',
  request: z.strictObject({
    id: text('The id that fileDetail returned'),
    objectType: anyText('The object type that fileDetail returned'),
    filetype: number('The file type that fileDetail returned, as a number'),
  }),
  response: z.object({
    link: z.string().describe('Address at which people can view the document').optional(),
  }),
  read: (body) => {
    const data = dataOf(body) ?? body;
    const isShown = textOf(one(data) ?? {}, ['content', 'html']) !== undefined;
    return documented({ link: previewLink(data) }) ?? (isShown ? {} : undefined);
  },
});

function previewLink(data: unknown): string | undefined {
  if (typeof data === 'string') return /^(https?:\/\/|\/)\S+$/.test(data) ? data : undefined;
  const fields = one(data);
  return fields && textOf(fields, ['url', 'previewUrl', 'preview_url', 'link', 'href', 'path']);
}
