import type { Gatekeeper } from '../auth/identity.ts';
import type { Call } from '../http/call.ts';
import { readForm } from '../http/multipart.ts';
import { noBody, operations } from '../http/operation.ts';
import { invalid, jsonReply, liteEnvelope, missing } from '../http/reply.ts';
import type { Route } from '../http/router.ts';
import type { Options } from '../options.ts';
import type { Images } from '../store/images.ts';
import { imageType } from '../store/images.ts';

/** Images a request and bytes an image (platform contract IMG-5). */
const IMAGES_AT_MOST = 10;
const IMAGE_BYTES = 10 * 1024 * 1024;
const LIMITS = {
  files: IMAGES_AT_MOST,
  bytesEach: IMAGE_BYTES,
  bytesInAll: IMAGES_AT_MOST * IMAGE_BYTES + 64 * 1024,
};

export interface UploadDeps {
  readonly gatekeeper: Gatekeeper;
  readonly images: Images;
  readonly options: Options;
}

/** Image upload, in its recommended and its older form (platform contract IMG-1, IMG-2). */
export function uploadRoutes({ gatekeeper, images, options }: UploadDeps): readonly Route[] {
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
