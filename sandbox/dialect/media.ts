import { jsonReply, liteEnvelope, type Reply } from '../http/reply.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { Source } from '../store/sessions.ts';

/** Shapes of a response, by dialect. A dialect that is missing here has the plain shape. */
interface Shapes<Given, Made> {
  readonly plain: (given: Given) => Made;
  readonly [dialect: string]: (given: Given) => Made;
}

/** Returns a response in the chosen dialect. */
export const shaped = <Given, Made>(shapes: Shapes<Given, Made>, dialect: string, given: Given): Made =>
  (shapes[dialect] ?? shapes.plain)(given);

/** Shapes of the details of a file (platform contract MED-7, DEC-18). */
export const DETAILS: Shapes<Detail, unknown> = {
  plain: (detail) => liteEnvelope(detail),
  'detail-list': (detail) => liteEnvelope([detail]),
  'detail-top': (detail) => detail,
  'detail-other-names': ({ id, file_name, filetype }) =>
    liteEnvelope({ ekb_id: id, full_name: file_name, fileType: filetype, object_type: 'file' }),
  'detail-text-type': (detail) => liteEnvelope({ ...detail, filetype: String(detail.filetype) }),
  'detail-no-type': ({ file_name }) => liteEnvelope({ title: file_name }),
};

type Detail = ReturnType<typeof detailOf>;

/** Returns the details of a file, which `DETAILS` shapes. */
export const detailOf = ({ id, name, type, size }: StoredDocument) => ({
  id: previewId(id),
  document_id: id,
  file_name: name,
  filetype: FILE_TYPES[type] ?? 0,
  objectType: 'file',
  size,
});

/**
 * Numbers that stand for file types. The platform does not document its numbers, so the sandbox uses its own (platform
 * contract ENU-27: `filetype`).
 */
const FILE_TYPES: Readonly<Record<string, number>> = { md: 1, txt: 2, html: 3, htm: 3, pdf: 4, docx: 5 };

/**
 * Returns the id of a document's preview. The id differs from the document's, so that a client must read it from the
 * file's details (platform contract MED-5: preview).
 */
const previewId = (document: string): string => `9${document}`;
export const previewedDocument = (id: string): string => id.slice(1);

/** Shapes of a preview (platform contract MED-7, DEC-19). */
export const PREVIEWS: Shapes<Readonly<Record<'url' | 'text', string>>, Reply> = {
  plain: ({ url }) => previewData({ url }),
  'preview-string': ({ url }) => previewData(url),
  'preview-camel': ({ url }) => previewData({ previewUrl: url }),
  'preview-snake': ({ url }) => previewData({ preview_url: url }),
  'preview-href': ({ url }) => previewData({ href: url }),
  'preview-content': ({ text }) => previewData({ content: text }),
  'preview-bytes': ({ text }) => ({
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.from(text),
  }),
  'preview-redirect': ({ url }) => ({ status: 302, headers: { location: url }, body: '' }),
  'preview-unknown': () => previewData({ answer: 'no address here' }),
};

const previewData = (data: unknown): Reply => jsonReply(liteEnvelope(data));

interface Link {
  readonly id: string;
  readonly url: string;
  /** Path of the link, below the base address. */
  readonly path: string;
}

/** Shapes of the links that file ids are exchanged for (platform contract DEC-17). */
export const LINKS: Shapes<readonly Link[], unknown> = {
  plain: (links) => liteEnvelope(plainLinks(links)),
  'link-string': ([first]) => liteEnvelope(first?.url ?? null),
  'link-strings': (links) => liteEnvelope(links.map(({ url }) => url)),
  'link-link': (links) => liteEnvelope(links.map(({ id, url }) => ({ fileId: id, link: url }))),
  'link-temporary-url': (links) => liteEnvelope(links.map(({ id, url }) => ({ id, temporary_url: url }))),
  'link-path': (links) => liteEnvelope(links.map(({ id, path }) => ({ file_id: id, path }))),
  'link-keyed': (links) => liteEnvelope(Object.fromEntries(links.map(({ id, url }) => [id, url]))),
  'link-urls': (links) => liteEnvelope({ urls: links.map(({ url }) => url) }),
  'link-links': (links) => liteEnvelope({ links: links.map(({ url }) => url) }),
  'link-list': (links) => liteEnvelope({ list: plainLinks(links) }),
  'link-top': (links) => plainLinks(links),
  'link-relative': (links) =>
    liteEnvelope(links.map(({ id, path }) => ({ file_id: id, url: path.slice(1) }))),
  'link-unknown': () => liteEnvelope({ answer: 'no link here' }),
};

const plainLinks = (links: readonly Link[]) => links.map(({ id, url }) => ({ file_id: id, url }));

/** Shapes of sources sent as a tool result (platform contract CHL-19, DEC-20). */
export const TOOLS: Shapes<readonly Source[], unknown> = {
  plain: (sources) => sources.map(toolItem),
  'tool-results': (sources) => ({ results: sources.map(toolItem) }),
  'tool-references': (sources) => ({ references: sources.map(toolItem) }),
  'tool-documents': (sources) => ({ documents: sources.map(toolItem) }),
  'tool-list': (sources) => ({ list: sources.map(toolItem) }),
  'tool-data': (sources) => ({ data: sources.map(toolItem) }),
  'tool-string': (sources) => JSON.stringify(sources.map(otherToolItem)),
  'tool-text': (sources) => sources.map(({ title, content }) => `${title}: ${content}`).join('\n'),
  'tool-other-names': (sources) => sources.map(otherToolItem),
};

const toolItem = ({ document, chunk, title, content, score }: Source) => ({
  category: 'tool',
  document_id: document,
  chunk_id: BigInt(chunk),
  title,
  content,
  score,
});

const otherToolItem = ({ document, title, content, score }: Source) => ({
  documentId: document,
  fileName: title,
  page_content: content,
  similarity: score,
});

export const MEDIA_DIALECTS: readonly string[] = [
  ...new Set([LINKS, DETAILS, PREVIEWS, TOOLS].flatMap((shapes) => Object.keys(shapes))),
];
