import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { asList, type Fields, idOf, isFields, numberOf, one, textOf } from '../shapes.ts';

const id = z.string().min(1);

/** A link as the platform wrote it: possibly relative; without an id it belongs to the id at its position. */
const link = z.object({ id: z.string().optional(), link: z.string() });
export type Link = z.infer<typeof link>;

/** Platform contract MED-1, MED-2, DEC-17. Links expire and need the bearer. */
export const temporaryLinks = defineOperation({
  id: 'temporaryLinks',
  capability: 'media',
  doc: 'Exchanges file ids of an answer for temporary links.',
  method: 'POST',
  path: '/webapi/knowledge/v1/file/ekb-temporary',
  credential: 'bearer',
  answer: 'json',
  retry: 'never',
  request: z.object({ fileIds: z.array(id).min(1).max(50), locale: z.string() }),
  response: z.array(link),
  wire: ({ fileIds, locale }) => ({ json: { file_id: fileIds, locale } }),
  read: (body) => readLinks(isFields(body) && 'data' in body && body.data !== null ? body.data : body),
});

const LINK_NAMES = ['url', 'link', 'temporary_url', 'path'];
const FILE_ID_NAMES = ['file_id', 'fileId', 'id'];

function readLinks(data: unknown): unknown[] {
  if (typeof data === 'string') return [{ link: data }];
  const list = asList(data);
  if (list !== undefined) return list.flatMap(readLink);
  if (!isFields(data)) return [];
  const inner = data.urls ?? data.links ?? data.list;
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

/** A member of an object keyed by file id; ids are digits or uuids, so envelope members are none. */
function keyedLink(key: string, value: unknown): unknown[] {
  const written = isFields(value) ? textOf(value, LINK_NAMES) : value;
  return typeof written === 'string' && /\d/.test(key) ? [{ id: key, link: written }] : [];
}

/** Platform contract MED-3: the content itself; fetched by the media rules, which also hold for its redirects. */
export const temporaryFile = defineOperation({
  id: 'temporaryFile',
  capability: 'media',
  doc: 'Fetches the content behind a temporary link.',
  method: 'GET',
  path: '/webapi/knowledge/v1/file/ekb-temporary-file/{signed_file_identifier}',
  credential: 'bearer',
  answer: 'bytes',
  retry: 'read',
  request: z.object({ signedFileIdentifier: id }),
  response: z.instanceof(Uint8Array),
  wire: (request) => ({ path: { signed_file_identifier: request.signedFileIdentifier } }),
  read: (body) => body,
});

/** What the platform knows of a document; absent members were not told (platform contract DEC-18). */
const detail = z.object({
  id: id.optional(),
  name: z.string().optional(),
  filetype: z.number().optional(),
  objectType: z.string().optional(),
});
export type Detail = z.infer<typeof detail>;

/** Platform contract MED-4, DEC-18. */
export const fileDetail = defineOperation({
  id: 'fileDetail',
  capability: 'media',
  doc: 'Reads the name and types of a document behind an answer.',
  method: 'GET',
  path: '/webapi/knowledge/v1/rag/get_detail',
  credential: 'bearer',
  answer: 'json',
  retry: 'read',
  request: z.object({ documentId: id }),
  response: detail,
  wire: ({ documentId }) => ({ query: { document_id: documentId } }),
  read: (body) => readDetail(one(isFields(body) ? body.data : undefined) ?? one(body) ?? {}),
});

function readDetail(data: Fields): unknown {
  return {
    id: idOf(data, ['id', 'file_id', 'fileId', 'ekb_id']),
    name: textOf(data, ['file_name', 'fileName', 'name', 'title', 'document_name', 'full_name']),
    filetype: numberOf(data, ['filetype', 'file_type', 'fileType', 'type', 'extension', 'ext']),
    objectType: idOf(data, ['objectType', 'object_type']),
  };
}

/** Platform contract MED-5, DEC-19. `link` is absent when the platform gave none that was recognised. */
export const previewFile = defineOperation({
  id: 'previewFile',
  capability: 'media',
  doc: 'Asks for an address under which a document can be looked at.',
  method: 'POST',
  path: '/webapi/knowledge/v1/file/ekb-preview',
  credential: 'bearer',
  answer: 'bytes',
  retry: 'never',
  request: z.object({ id, objectType: z.string(), filetype: z.number() }),
  response: z.object({ link: z.string().optional() }),
  wire: (request) => ({ json: request }),
  read: (body) => ({ link: previewLink(isFields(body) ? (body.data ?? body) : body) }),
});

function previewLink(data: unknown): string | undefined {
  if (typeof data === 'string') return /^(https?:\/\/|\/)\S+$/.test(data) ? data : undefined;
  const fields = one(data);
  return fields && textOf(fields, ['url', 'previewUrl', 'preview_url', 'link', 'href', 'path']);
}
