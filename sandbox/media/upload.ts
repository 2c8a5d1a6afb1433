import type { Gatekeeper } from '../auth/identity.ts';
import type { Call } from '../http/call.ts';
import { readForm } from '../http/multipart.ts';
import { invalid, missing } from '../http/refusal.ts';
import { jsonReply, liteEnvelope, type Reply } from '../http/reply.ts';
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

export interface UploadParts {
  readonly gatekeeper: Gatekeeper;
  readonly images: Images;
  readonly options: Options;
}

/** Image upload in its recommended and its older form (platform contract, section 4). */
export function uploadRoutes(parts: UploadParts): readonly Route[] {
  return [
    {
      id: 'uploadImages',
      method: 'POST',
      path: '/webapi/lite_api/v2/api/chat-with-bot/upload-images',
      face: 'lite',
      handle: (call) => upload(parts, call),
    },
    {
      id: 'uploadImagesLegacy',
      method: 'POST',
      path: '/webapi/lite_api/v2/api/chat-with-bot/{agent_id}/upload-images',
      face: 'lite',
      handle: async (call) => {
        const reply = await upload(parts, call);
        return { ...reply, headers: { ...reply.headers, deprecation: 'true' } };
      },
    },
  ];
}

async function upload({ gatekeeper, images, options }: UploadParts, call: Call): Promise<Reply> {
  gatekeeper.keyOrAccount(call);
  const form = await readForm(call.request, LIMITS);
  const files = form.files.filter((part) => part.field === 'files');
  if (files.length === 0) throw missing('files');
  const checked = files.map((file) => {
    const type = imageType(file.bytes);
    if (type === undefined) throw invalid(`The file ${file.name} is no PNG, JPEG, GIF or WebP image.`);
    return { name: file.name, type, bytes: file.bytes };
  });
  const ids = checked.map((image) => images.upload(image));
  return jsonReply(liteEnvelope({ ids }, 201), options.uploadCreated ? 201 : 200);
}
