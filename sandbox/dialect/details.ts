import { jsonReply, liteEnvelope, type Reply } from '../http/reply.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { Source } from '../store/sessions.ts';
import type { MediaDialect } from './names.ts';

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
  switch (dialect) {
    case 'detail-list':
      return liteEnvelope([plain]);
    case 'detail-top':
      return plain;
    case 'detail-other-names':
      return liteEnvelope({ ekb_id: id, full_name: document.name, fileType: filetype, object_type: 'file' });
    case 'detail-text-type':
      return liteEnvelope({ ...plain, filetype: String(filetype) });
    case 'detail-no-type':
      return liteEnvelope({ title: document.name });
    default:
      return liteEnvelope(plain);
  }
}

/** The answer to a preview in the shape of the chosen dialect (platform contract MED-7, DEC-19). */
export function previewReply(url: string, text: string, dialect: MediaDialect): Reply {
  switch (dialect) {
    case 'preview-string':
      return jsonReply(liteEnvelope(url));
    case 'preview-camel':
      return jsonReply(liteEnvelope({ previewUrl: url }));
    case 'preview-snake':
      return jsonReply(liteEnvelope({ preview_url: url }));
    case 'preview-href':
      return jsonReply(liteEnvelope({ href: url }));
    case 'preview-content':
      return jsonReply(liteEnvelope({ content: text }));
    case 'preview-bytes':
      return {
        status: 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.from(text),
      };
    case 'preview-redirect':
      return { status: 302, headers: { location: url }, body: '' };
    case 'preview-unknown':
      return jsonReply(liteEnvelope({ answer: 'no address here' }));
    default:
      return jsonReply(liteEnvelope({ url }));
  }
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
  switch (dialect) {
    case 'link-string':
      return liteEnvelope(urls[0] ?? null);
    case 'link-strings':
      return liteEnvelope(urls);
    case 'link-link':
      return liteEnvelope(links.map(({ id, url }) => ({ fileId: id, link: url })));
    case 'link-temporary-url':
      return liteEnvelope(links.map(({ id, url }) => ({ id, temporary_url: url })));
    case 'link-path':
      return liteEnvelope(pairs.map(({ id, path }) => ({ file_id: id, path })));
    case 'link-keyed':
      return liteEnvelope(Object.fromEntries(links.map(({ id, url }) => [id, url])));
    case 'link-urls':
      return liteEnvelope({ urls });
    case 'link-links':
      return liteEnvelope({ links: urls });
    case 'link-list':
      return liteEnvelope({ list: links.map(({ id, url }) => ({ file_id: id, url })) });
    case 'link-top':
      return links.map(({ id, url }) => ({ file_id: id, url }));
    case 'link-relative':
      return liteEnvelope(pairs.map(({ id, path }) => ({ file_id: id, url: path.slice(1) })));
    case 'link-unknown':
      return liteEnvelope({ answer: 'no link here' });
    default:
      return liteEnvelope(links.map(({ id, url }) => ({ file_id: id, url })));
  }
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
  switch (dialect) {
    case 'tool-results':
      return { results: items };
    case 'tool-references':
      return { references: items };
    case 'tool-documents':
      return { documents: items };
    case 'tool-list':
      return { list: items };
    case 'tool-data':
      return { data: items };
    case 'tool-string':
      return JSON.stringify(other);
    case 'tool-text':
      return sources.map((source) => `${source.title}: ${source.content}`).join('\n');
    case 'tool-other-names':
      return other;
    default:
      return items;
  }
}
