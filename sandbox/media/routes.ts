import type { Gatekeeper } from '../auth/identity.ts';
import { detailData, previewedDocument, previewReply } from '../dialect/details.ts';
import { linkData } from '../dialect/links.ts';
import type { SandboxAccount } from '../fixtures.ts';
import { mayUse } from '../fixtures.ts';
import { type Call, param } from '../http/call.ts';
import { idText, requiredText, textList } from '../http/fields.ts';
import { invalid, missing, Refusal } from '../http/refusal.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
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

function imageRoutes(parts: MediaParts): readonly Route[] {
  const { gatekeeper, images, links, options } = parts;
  return [
    {
      id: 'temporaryLinks',
      method: 'POST',
      path: '/webapi/knowledge/v1/file/ekb-temporary',
      face: 'lite',
      handle: async (call) => {
        const account = gatekeeper.anyAccount(call);
        const ids = textList(await call.fields(), 'file_id');
        if (ids.length === 0) throw missing('file_id');
        const pairs = ids.map((id) => {
          if (!mayShow(parts, account, id)) throw invalid(`The file ${id} is unknown.`);
          const identifier = links.sign(id, options.linkLifeSeconds * 1000);
          return { id, path: `${TEMPORARY_PATH}/${identifier}` };
        });
        return jsonReply(linkData(pairs, call.base, options.dialect.media));
      },
    },
    {
      id: 'temporaryFile',
      method: 'GET',
      path: `${TEMPORARY_PATH}/{signed_file_identifier}`,
      face: 'lite',
      handle: async (call) => {
        gatekeeper.anyAccount(call);
        return imageReply(images.find(links.open(param(call, 'signed_file_identifier'))));
      },
    },
    {
      id: 'chatMediaImage',
      method: 'GET',
      path: '/openapi/chat/media/image/{id}',
      face: 'open',
      handle: async (call) => {
        const account = gatekeeper.anyAccount(call);
        const id = param(call, 'id');
        return imageReply(mayShow(parts, account, id) ? images.find(id) : undefined);
      },
    },
  ];
}

function documentRoutes(parts: MediaParts): readonly Route[] {
  const { documents, gatekeeper, images, options } = parts;
  return [
    {
      id: 'fileDetail',
      method: 'GET',
      path: '/webapi/knowledge/v1/rag/get_detail',
      face: 'lite',
      handle: async (call) => {
        const account = gatekeeper.anyAccount(call);
        const id = call.query.get('document_id');
        if (id === null || id === '') throw missing('document_id');
        const document = readable(parts, account, id);
        return jsonReply(detailData(document, options.dialect.media));
      },
    },
    {
      id: 'previewFile',
      method: 'POST',
      path: '/webapi/knowledge/v1/file/ekb-preview',
      face: 'lite',
      handle: (call) => preview(parts, call),
    },
    {
      id: 'shareDocument',
      method: 'GET',
      path: sharePath('{id}'),
      face: 'plain',
      handle: async (call) => {
        const document = documents.find(param(call, 'id'));
        if (document === undefined) throw new Refusal(404, 404, 'There is no such document.');
        return documentPage(document, documents.chunksOf(document.id), images);
      },
    },
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

async function preview(parts: MediaParts, call: Call): Promise<Reply> {
  const { documents, gatekeeper, options } = parts;
  const account = gatekeeper.anyAccount(call);
  const fields = await call.fields();
  const id = idText(fields.id) ?? requiredText(fields, 'id');
  requiredText(fields, 'objectType');
  if (fields.filetype === undefined || fields.filetype === null) throw missing('filetype');
  if (typeof fields.filetype !== 'number') throw invalid('The parameter filetype must be a number.');
  const document = readable(parts, account, previewedDocument(id));
  const url = `${call.base}${sharePath(document.id)}`;
  if (options.previewBinary) {
    const text = documents.chunksOf(document.id).map((chunk) => chunk.text);
    return previewReply(url, text.join('\n\n'), 'preview-bytes');
  }
  return previewReply(url, document.title, options.dialect.media);
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
