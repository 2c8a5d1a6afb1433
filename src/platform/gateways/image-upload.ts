import type { Call, ImageFile } from '../../core/agents/agent.ts';
import { imageTypeOf } from '../../core/agents/image.ts';
import { BridgeError } from '../../errors.ts';
import type { Authority } from '../authority.ts';
import { call } from '../client.ts';
import { MAX_IMAGE_BYTES, MAX_IMAGES } from '../limits.ts';
import { uploadImages, uploadImagesLegacy } from '../operations/images.ts';
import { oneLine } from '../redact.ts';
import type { FileSource } from '../wire/members.ts';
import { type AgentContext, agentAuthority } from './agent-context.ts';

/** Uploads the images of one question; the ids are in the order of the images (platform contract IMG-1 to IMG-6). */
export async function uploadAgentImages(
  context: AgentContext,
  images: readonly ImageFile[],
  { account, signal }: Call,
): Promise<readonly string[]> {
  if (images.length === 0) return [];
  if (images.length > MAX_IMAGES) throw refusedImage(`only ${MAX_IMAGES} images go with a question`);
  const { wiring, options } = context;
  const files = images.map(checked).map(fileOf);
  const target = { authority: uploadAuthority(context, account), signal };
  const { agentId } = options;
  const ids =
    options.legacyImageUpload === true && agentId !== undefined
      ? await call(wiring, uploadImagesLegacy, { agentId, files }, target)
      : await call(wiring, uploadImages, { files }, target);
  if (ids.length >= files.length) return ids.slice(0, files.length);
  throw new BridgeError(
    'platform-protocol',
    `The platform returned ${ids.length} ids for ${files.length} images.`,
    {
      facts: { operation: 'uploadImages' },
    },
  );
}

function uploadAuthority(context: AgentContext, account: string | undefined): Authority {
  const { imageKey } = context.options;
  return imageKey === undefined ? agentAuthority(context, account) : { kind: 'key', key: imageKey };
}

/** Takes the type from the content, not from the file's name or label (attack S11). */
function checked({ name, bytes }: ImageFile): ImageFile {
  const shown = oneLine(name, 120);
  const type = imageTypeOf(bytes);
  if (type === undefined) throw refusedImage(`"${shown}" is no PNG, JPEG, GIF or WebP image`);
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw refusedImage(`"${shown}" is larger than 10 MiB`);
  return { name: shown === '' ? 'image' : shown, type, bytes };
}

/** The bytes as what an upload reads. */
function fileOf({ name, type, bytes }: ImageFile): FileSource {
  return {
    name,
    type,
    size: bytes.byteLength,
    async *open() {
      yield bytes;
    },
  };
}

function refusedImage(why: string): BridgeError {
  return new BridgeError('image-refused', `An image was not uploaded: ${why}.`, {
    tellUser: `One of the images could not be passed on: ${why}.`,
  });
}
