import { z } from 'zod';
import type { Gatekeeper } from '../auth/identity.ts';
import type { Tokens } from '../auth/tokens.ts';
import type { Clock } from '../clock.ts';
import { DETAILS, detailOf, LINKS, PREVIEWS, previewedDocument, shaped } from '../dialect/media.ts';
import { mayUse, type SandboxAccount } from '../fixtures.ts';
import { readForm } from '../http/body.ts';
import { type Call, noBody, operations, param, type Route, sameText } from '../http/operation.ts';
import { invalid, jsonReply, known, liteEnvelope, missing, Refusal, type Reply } from '../http/reply.ts';
import { exact, required, requiredCode, textList } from '../http/schema.ts';
import type { Options } from '../options.ts';
import { type Documents, type StoredDocument, sharePath } from '../store/documents.ts';
import { type Images, imageType, MAX_IMAGES, type StoredImage } from '../store/images.ts';
import type { Chunk } from '../store/passages.ts';

interface MediaDeps {
  readonly gatekeeper: Gatekeeper;
  readonly options: Options;
  readonly images: Images;
  readonly links: Links;
  readonly documents: Documents;
}

/** Path of temporary links to images, below the base address. */
const TEMPORARY_PATH = '/webapi/knowledge/v1/file/ekb-temporary-file';

/**
 * Routes of media: temporary links to images, details and previews of documents, and uploads (platform contract MED-1
 * to MED-7).
 */
export const mediaRoutes = (deps: MediaDeps): readonly Route[] => [
  ...imageRoutes(deps),
  ...documentRoutes(deps),
  ...uploadRoutes(deps),
];

const fileIds = exact({ file_id: textList.refine((ids) => ids.length > 0, 'is missing') });

function imageRoutes(deps: MediaDeps): readonly Route[] {
  const { gatekeeper, images, links, options } = deps;
  const lite = operations('lite', gatekeeper.anyAccount);
  const open = operations('open', gatekeeper.anyAccount);
  return [
    lite(
      'temporaryLinks',
      'POST /webapi/knowledge/v1/file/ekb-temporary',
      fileIds,
      ({ body, call, caller }) => {
        const signed = body.file_id.map((id) => {
          if (!mayShow(deps, caller, id)) throw invalid(`The file ${id} is unknown.`);
          const identifier = links.sign(id, options.linkLifeSeconds * 1000);
          const path = `${TEMPORARY_PATH}/${identifier}`;
          return { id, url: `${call.base}${path}`, path };
        });
        return jsonReply(shaped(LINKS, options.dialect.media, signed));
      },
    ),
    lite('temporaryFile', `GET ${TEMPORARY_PATH}/{signed_file_identifier}`, noBody, ({ call }) =>
      imageReply(images.find(links.open(param(call, 'signed_file_identifier')))),
    ),
    open('chatMediaImage', 'GET /openapi/chat/media/image/{id}', noBody, ({ call, caller }) => {
      const id = param(call, 'id');
      return imageReply(mayShow(deps, caller, id) ? images.find(id) : undefined);
    }),
  ];
}

const preview = exact({
  id: requiredCode,
  objectType: z.string(required('must be a string')),
  filetype: z.number(required('must be a number')),
});

function documentRoutes(deps: MediaDeps): readonly Route[] {
  const { documents, gatekeeper, images, options } = deps;
  const lite = operations('lite', gatekeeper.anyAccount);
  const plain = operations('plain', () => undefined);
  return [
    lite('fileDetail', 'GET /webapi/knowledge/v1/rag/get_detail', noBody, ({ call, caller }) => {
      const id = call.query.get('document_id');
      if (id === null || id === '') throw missing('document_id');
      return jsonReply(shaped(DETAILS, options.dialect.media, detailOf(readable(deps, caller, id))));
    }),
    lite('previewFile', 'POST /webapi/knowledge/v1/file/ekb-preview', preview, ({ body, call, caller }) => {
      const { id, title } = readable(deps, caller, previewedDocument(body.id));
      const url = `${call.base}${sharePath(id)}`;
      if (!options.previewBinary) return shaped(PREVIEWS, options.dialect.media, { url, text: title });
      const text = documents.chunksOf(id).map((chunk) => chunk.text);
      return shaped(PREVIEWS, 'preview-bytes', { url, text: text.join('\n\n') });
    }),
    plain('shareDocument', `GET ${sharePath('{id}')}`, noBody, ({ call }) => {
      const document = documents.find(param(call, 'id'));
      if (document === undefined) throw new Refusal(404, 404, 'There is no such document.');
      return documentPage(document, documents.chunksOf(document.id), images);
    }),
  ];
}

/**
 * True if the account may see the image. Images of answers are for everyone; images of a document are for accounts that
 * may read the document.
 */
function mayShow({ documents, images }: MediaDeps, account: SandboxAccount, fileId: string): boolean {
  const id = images.documentOf(fileId);
  const document = id === undefined ? undefined : documents.find(id);
  return images.find(fileId) !== undefined && (document === undefined || mayUse(account, document.workspace));
}

/**
 * Returns the document. Refuses an unknown one, and one in a workspace that the account may not use (platform contract
 * AUT-17: permissions).
 */
function readable({ documents }: MediaDeps, account: SandboxAccount, id: string): StoredDocument {
  const document = known(documents.find(id), `document ${id}`, invalid);
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

/** Returns the page to which a source links. It shows the document's passages and pictures. */
function documentPage(document: StoredDocument, chunks: readonly Chunk[], images: Images): Reply {
  const body = chunks
    .map((chunk) => `<h2 id="c${chunk.id}">${entities(chunk.heading)}</h2>${passage(chunk.text, images)}`)
    .join('\n');
  return page(document.title, `<p class="name">${entities(document.name)}</p>${body}`);
}

/** Returns an HTML page without scripts. `main` is HTML that stands below the title. */
function page(title: string, main: string): Reply {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${entities(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style>
<body><main><h1>${entities(title)}</h1>${main}</main></body></html>`;
  return { status: 200, headers: { ...PAGE_HEADERS }, body: html };
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
};

const STYLE = `body{font:16px/1.6 system-ui,sans-serif;margin:0;background:#f6f7f9;color:#1c2330}
main{max-width:44rem;margin:2rem auto;padding:2rem;background:#fff;border-radius:12px}
h1{margin:0}h2{font-size:1.05rem;margin:1.6rem 0 .3rem}.name{color:#667;margin-top:.2rem}
div{white-space:pre-wrap;overflow-wrap:anywhere}img{max-width:100%;border-radius:8px}
@media (prefers-color-scheme:dark){body{background:#12151b;color:#e6e9ef}main{background:#1b2029}.name{color:#9aa4b5}}`;

const IMAGE = /!\[([^\]]*)\]\((\d{4,15})\)/g;

function passage(text: string, images: Images): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(IMAGE)) {
    html += entities(text.slice(at, match.index)) + picture(match[1] ?? '', match[2] ?? '', images);
    at = match.index + match[0].length;
  }
  return `<div>${html}${entities(text.slice(at))}</div>`;
}

function picture(alt: string, fileId: string, images: Images): string {
  const image = images.find(fileId);
  if (image === undefined) return entities(alt);
  const data = Buffer.from(image.bytes).toString('base64');
  return `<img alt="${entities(alt)}" src="data:${image.type};base64,${data}">`;
}

const entities = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

type Links = ReturnType<typeof createLinks>;

/** Makes signed identifiers for images. An identifier expires (platform contract MED-2, MED-3: links). */
export function createLinks(tokens: Tokens, clock: Clock) {
  return {
    sign: (fileId: string, lifeMs: number): string => {
      const body = Buffer.from(`${fileId}.${clock.now() + lifeMs}`).toString('base64url');
      return `${body}.${tokens.sign(body)}`;
    },
    /**
     * Returns the file id in an identifier. Refuses an altered identifier with HTTP status 404, and an expired one with
     * 410.
     */
    open: (identifier: string): string => {
      const [body = '', signature = ''] = identifier.split('.');
      if (!sameText(signature, tokens.sign(body))) throw new Refusal(404, 404, 'The link is unknown.');
      const [fileId = '', expires] = Buffer.from(body, 'base64url').toString('utf8').split('.');
      if (Number(expires) <= clock.now()) throw new Refusal(410, 410, 'The link has expired.');
      return fileId;
    },
  };
}

/** Maximum bytes per image (platform contract IMG-5: limits). */
const IMAGE_BYTES = 10 * 1024 * 1024;
const LIMITS = {
  files: MAX_IMAGES,
  bytesEach: IMAGE_BYTES,
  bytesInAll: MAX_IMAGES * IMAGE_BYTES + 64 * 1024,
};

/** Routes for uploading images: the recommended one and the older one (platform contract IMG-1, IMG-2). */
function uploadRoutes({ gatekeeper, images, options }: MediaDeps): readonly Route[] {
  const operation = operations('lite', gatekeeper.keyOrAccount);
  const path = '/webapi/lite_api/v2/api/chat-with-bot';
  const status = () => (options.uploadCreated ? 201 : 200);
  return [
    operation('uploadImages', `POST ${path}/upload-images`, noBody, async ({ call }) =>
      jsonReply(await upload(images, call), status()),
    ),
    operation('uploadImagesLegacy', `POST ${path}/{agent_id}/upload-images`, noBody, async ({ call }) => {
      const reply = jsonReply(await upload(images, call), status());
      return { ...reply, headers: { ...reply.headers, deprecation: 'true' } };
    }),
  ];
}

async function upload(images: Images, call: Call): Promise<unknown> {
  const form = await readForm(call.request, LIMITS);
  const files = form.files.filter((part) => part.field === 'files');
  if (files.length === 0) throw missing('files');
  const checked = files.map((file) => {
    const type = imageType(file.bytes);
    if (type === undefined) throw invalid(`The file ${file.name} is no PNG, JPEG, GIF or WebP image.`);
    return { name: file.name, type, bytes: file.bytes };
  });
  const ids = checked.map((image) => images.upload(image));
  return liteEnvelope({ ids }, 201);
}
