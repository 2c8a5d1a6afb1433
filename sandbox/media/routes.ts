import { z } from 'zod';
import type { Gatekeeper } from '../auth/identity.ts';
import { detailData, previewedDocument, previewReply } from '../dialect/details.ts';
import { linkData } from '../dialect/links.ts';
import type { SandboxAccount } from '../fixtures.ts';
import { mayUse } from '../fixtures.ts';
import { param } from '../http/call.ts';
import { idText } from '../http/fields.ts';
import { noBody, operations } from '../http/operation.ts';
import { invalid, missing, Refusal } from '../http/refusal.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import { exact, refuse, someText, textList } from '../http/schema.ts';
import type { Options } from '../options.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import { sharePath } from '../store/documents.ts';
import type { Images, StoredImage } from '../store/images.ts';
import { documentPage } from './document-page.ts';
import type { Links } from './links.ts';

export interface MediaParts {
  readonly gatekeeper: Gatekeeper;
  readonly images: Images;
  readonly links: Links;
  readonly documents: Documents;
  readonly options: Options;
}

/** Where a temporary link points, below the base. */
const TEMPORARY_PATH = '/webapi/knowledge/v1/file/ekb-temporary-file';

/** Images by exchange of their file id, documents by details and preview (platform contract, section 6). */
export const mediaRoutes = (parts: MediaParts): readonly Route[] => [
  ...imageRoutes(parts),
  ...documentRoutes(parts),
];

const fileIds = exact({ file_id: textList.refine((ids) => ids.length > 0, 'is missing') });

function imageRoutes(parts: MediaParts): readonly Route[] {
  const { gatekeeper, images, links, options } = parts;
  const lite = operations('lite', gatekeeper.anyAccount);
  const open = operations('open', gatekeeper.anyAccount);
  return [
    lite(
      'temporaryLinks',
      'POST /webapi/knowledge/v1/file/ekb-temporary',
      fileIds,
      ({ body, call, caller }) => {
        const pairs = body.file_id.map((id) => {
          if (!mayShow(parts, caller, id)) throw invalid(`The file ${id} is unknown.`);
          const identifier = links.sign(id, options.linkLifeSeconds * 1000);
          return { id, path: `${TEMPORARY_PATH}/${identifier}` };
        });
        return jsonReply(linkData(pairs, call.base, options.dialect.media));
      },
    ),
    lite('temporaryFile', `GET ${TEMPORARY_PATH}/{signed_file_identifier}`, noBody, ({ call }) =>
      imageReply(images.find(links.open(param(call, 'signed_file_identifier')))),
    ),
    open('chatMediaImage', 'GET /openapi/chat/media/image/{id}', noBody, ({ call, caller }) => {
      const id = param(call, 'id');
      return imageReply(mayShow(parts, caller, id) ? images.find(id) : undefined);
    }),
  ];
}

const preview = exact({
  id: z
    .unknown()
    .transform(
      (id, context) =>
        idText(id) ?? refuse(context, (id ?? null) === null ? 'is missing' : 'must be a string'),
    ),
  objectType: someText,
  filetype: z.number({
    error: ({ input }) => ((input ?? null) === null ? 'is missing' : 'must be a number'),
  }),
});

function documentRoutes(parts: MediaParts): readonly Route[] {
  const { documents, gatekeeper, images, options } = parts;
  const lite = operations('lite', gatekeeper.anyAccount);
  const plain = operations('plain', () => undefined);
  return [
    lite('fileDetail', 'GET /webapi/knowledge/v1/rag/get_detail', noBody, ({ call, caller }) => {
      const id = call.query.get('document_id');
      if (id === null || id === '') throw missing('document_id');
      return jsonReply(detailData(readable(parts, caller, id), options.dialect.media));
    }),
    lite('previewFile', 'POST /webapi/knowledge/v1/file/ekb-preview', preview, ({ body, call, caller }) => {
      const { id, title } = readable(parts, caller, previewedDocument(body.id));
      const url = `${call.base}${sharePath(id)}`;
      if (!options.previewBinary) return previewReply(url, title, options.dialect.media);
      const text = documents.chunksOf(id).map((chunk) => chunk.text);
      return previewReply(url, text.join('\n\n'), 'preview-bytes');
    }),
    plain('shareDocument', `GET ${sharePath('{id}')}`, noBody, ({ call }) => {
      const document = documents.find(param(call, 'id'));
      if (document === undefined) throw new Refusal(404, 404, 'There is no such document.');
      return documentPage(document, documents.chunksOf(document.id), images);
    }),
  ];
}

/** Pictures of a document are shown to those who may read it, pictures of answers to everybody. */
function mayShow({ documents, images }: MediaParts, account: SandboxAccount, fileId: string): boolean {
  const id = images.documentOf(fileId);
  const document = id === undefined ? undefined : documents.find(id);
  return images.find(fileId) !== undefined && (document === undefined || mayUse(account, document.workspace));
}

/** The document, unless it is unknown or in a workspace that is closed to the account (platform contract AUT-17). */
function readable({ documents }: MediaParts, account: SandboxAccount, id: string): StoredDocument {
  const document = documents.find(id);
  if (document === undefined) throw invalid(`The document ${id} is unknown.`);
  if (!mayUse(account, document.workspace)) {
    throw invalid(`The permission to read the document ${id} is missing.`);
  }
  return document;
}

function imageReply(image: StoredImage | undefined): Reply {
  if (image === undefined) throw new Refusal(404, 404, 'The image is unknown.');
  const headers = {
    'content-type': image.type,
    'content-length': String(image.bytes.length),
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, body: image.bytes };
}
