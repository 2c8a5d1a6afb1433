import { jsonReply, liteEnvelope, type Reply } from '../http/reply.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { Source } from '../store/sessions.ts';
import type { MediaDialect } from './names.ts';

/** The value that a dialect sends in place of the sandbox's own; dialects without one send the sandbox's. */
type Shapes = Partial<Record<MediaDialect, unknown>>;

/** The body of file details in the shape of the chosen dialect (platform contract MED-7, DEC-18). */
export function detailData(document: StoredDocument, dialect: MediaDialect): unknown {
  const id = previewId(document.id);
  const filetype = fileType(document.type);
  const plain = {
    id,
    document_id: document.id,
    file_name: document.name,
    filetype,
    objectType: 'file',
    size: document.size,
  };
  const shapes: Shapes = {
    'detail-list': liteEnvelope([plain]),
    'detail-top': plain,
    'detail-other-names': liteEnvelope({
      ekb_id: id,
      full_name: document.name,
      fileType: filetype,
      object_type: 'file',
    }),
    'detail-text-type': liteEnvelope({ ...plain, filetype: String(filetype) }),
    'detail-no-type': liteEnvelope({ title: document.name }),
  };
  return shapes[dialect] ?? liteEnvelope(plain);
}

/** The answer to a preview in the shape of the chosen dialect (platform contract MED-7, DEC-19). */
export function previewReply(url: string, text: string, dialect: MediaDialect): Reply {
  if (dialect === 'preview-redirect') return { status: 302, headers: { location: url }, body: '' };
  if (dialect === 'preview-bytes') {
    return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: Buffer.from(text) };
  }
  const shapes: Shapes = {
    'preview-string': url,
    'preview-camel': { previewUrl: url },
    'preview-snake': { preview_url: url },
    'preview-href': { href: url },
    'preview-content': { content: text },
    'preview-unknown': { answer: 'no address here' },
  };
  return jsonReply(liteEnvelope(shapes[dialect] ?? { url }));
}

/** The numbers of file types are the sandbox's own: the platform shows none (platform contract ENU-27). */
const FILE_TYPES: Readonly<Record<string, number>> = { md: 1, txt: 2, html: 3, htm: 3, pdf: 4, docx: 5 };

const fileType = (extension: string): number => FILE_TYPES[extension] ?? 0;

/** The preview id differs from the document id on purpose: a client must take it from the details (platform contract MED-5). */
const previewId = (document: string): string => `9${document}`;
export const previewedDocument = (id: string): string => id.slice(1);

interface SignedPath {
  readonly id: string;
  /** Below the base. */
  readonly path: string;
}

/** The body of a link exchange in the shape of the chosen dialect (platform contract DEC-17). */
export function linkData(pairs: readonly SignedPath[], base: string, dialect: MediaDialect): unknown {
  const links = pairs.map(({ id, path }) => ({ id, url: `${base}${path}` }));
  const urls = links.map((link) => link.url);
  const plain = links.map(({ id, url }) => ({ file_id: id, url }));
  const shapes: Shapes = {
    'link-string': liteEnvelope(urls[0] ?? null),
    'link-strings': liteEnvelope(urls),
    'link-link': liteEnvelope(links.map(({ id, url }) => ({ fileId: id, link: url }))),
    'link-temporary-url': liteEnvelope(links.map(({ id, url }) => ({ id, temporary_url: url }))),
    'link-path': liteEnvelope(pairs.map(({ id, path }) => ({ file_id: id, path }))),
    'link-keyed': liteEnvelope(Object.fromEntries(links.map(({ id, url }) => [id, url]))),
    'link-urls': liteEnvelope({ urls }),
    'link-links': liteEnvelope({ links: urls }),
    'link-list': liteEnvelope({ list: plain }),
    'link-top': plain,
    'link-relative': liteEnvelope(pairs.map(({ id, path }) => ({ file_id: id, url: path.slice(1) }))),
    'link-unknown': liteEnvelope({ answer: 'no link here' }),
  };
  return shapes[dialect] ?? liteEnvelope(plain);
}

/** Sources as a tool result, in the shape of the chosen dialect (platform contract CHL-19, DEC-20). */
export function toolResult(sources: readonly Source[], dialect: MediaDialect): unknown {
  const items = sources.map((source) => ({
    category: 'tool',
    document_id: source.document,
    chunk_id: BigInt(source.chunk),
    title: source.title,
    content: source.content,
    score: source.score,
  }));
  const other = sources.map((source) => ({
    documentId: source.document,
    fileName: source.title,
    page_content: source.content,
    similarity: source.score,
  }));
  const shapes: Shapes = {
    'tool-results': { results: items },
    'tool-references': { references: items },
    'tool-documents': { documents: items },
    'tool-list': { list: items },
    'tool-data': { data: items },
    'tool-string': JSON.stringify(other),
    'tool-text': sources.map((source) => `${source.title}: ${source.content}`).join('\n'),
    'tool-other-names': other,
  };
  return shapes[dialect] ?? items;
}
