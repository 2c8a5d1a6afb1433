import type { AgentGateway, ImageFile, Question } from '../../core/agents/agent.ts';
import { imageTypeOf } from '../../core/agents/image.ts';
import type { Call } from '../../core/agents/library.ts';
import { BridgeError } from '../../errors.ts';
import type { Authority } from '../authority.ts';
import { call } from '../client.ts';
import { MAX_IMAGE_BYTES, MAX_IMAGES } from '../limits.ts';
import { chatByKey, chatByToken, type KeyMessage } from '../operations/chat.ts';
import { uploadImages, uploadImagesLegacy } from '../operations/images.ts';
import { oneLine } from '../redact.ts';
import type { FileSource } from '../wire/members.ts';
import {
  type AgentContext,
  type AgentOptions,
  agentAuthority,
  describeAgentSources,
  questionText,
} from './agent-context.ts';
import { gatewayOf } from './gateway.ts';

/**
 * Creates the gateway for an API key. The platform stores no conversation for API keys, so each question contains the
 * earlier turns (platform contract CHL-1, CHL-5, CHL-15).
 */
export function liteKeyGateway(context: AgentContext): AgentGateway {
  const request = (question: Question) => {
    const earlier = question.history.flatMap((exchange): KeyMessage[] => [
      { role: 'user', content: exchange.question },
      { role: 'assistant', content: exchange.answer },
    ]);
    const spoken = earlier.filter((message) => message.content !== '');
    const messages = [...spoken, { role: 'user', content: liteContent(question) } as const];
    return { messages, ...liteOptions(context.options, question) };
  };
  return {
    ...gatewayOf(context, { memory: 'history', operation: chatByKey, request }),
    ...liteParts(context),
  };
}

/**
 * Creates the gateway that asks with a platform user's token. The platform stores the conversation (platform contract
 * CHL-2, CHL-6, CHL-14).
 */
export function liteTokenGateway(context: AgentContext, agentId: string): AgentGateway {
  const request = (question: Question, session: string | undefined) => ({
    agentId,
    messages: [{ role: 'user' as const, content: liteContent(question) }],
    ...(session !== undefined && { conversationId: session }),
    ...liteOptions(context.options, question),
  });
  return {
    ...gatewayOf(context, { memory: 'session', operation: chatByToken, request }),
    ...liteParts(context),
  };
}

/** Returns the part that both lite gateways share. */
function liteParts(context: AgentContext) {
  const { seesImages = true, skipHint } = context.options;
  return {
    sees: { images: seesImages },
    canSkipHint: skipHint !== true,
    sources: ({ known }, call) => describeAgentSources(context, known, call),
    uploadImages: (images, call) => uploadAgentImages(context, images, call),
  } satisfies Partial<AgentGateway>;
}

/**
 * Returns the content of a question: a string if the question has only text, otherwise a list of the text and the
 * images (platform contract CHL-7).
 */
function liteContent(question: Question): KeyMessage['content'] {
  const text = questionText(question);
  if (question.images.length === 0) return text;
  return [
    { type: 'text', text },
    { type: 'image_ids', image_ids: [...question.images] },
  ];
}

/**
 * Returns the request fields that are the same for API keys and tokens. The documents of the question are named beside
 * the configured files and workspaces (platform contract CHL-10 to CHL-12).
 */
function liteOptions(
  { showToolResult = true, skipHint = false, fileIds = [], workspaceIds = [] }: AgentOptions,
  question: Question,
) {
  const { documents = [], lite = {} } = question;
  const files = [...fileIds, ...documents.map(({ id }) => id)];
  const workspaces = new Set([
    ...(lite.workspaceIds ?? workspaceIds),
    ...documents.map(({ workspace }) => workspace),
  ]);
  return {
    stream: true,
    showToolResult,
    skipHint: skipHint || question.skipHint === true,
    ...(files.length > 0 && { fileIds: files }),
    ...(workspaces.size > 0 && { workspaceIds: [...workspaces] }),
    ...(lite.layoutMode !== undefined && { layoutMode: lite.layoutMode }),
  };
}

/** Uploads the images of one question and returns their ids in the same order (platform contract IMG-1 to IMG-6). */
async function uploadAgentImages(
  context: AgentContext,
  images: readonly ImageFile[],
  { account, signal }: Call,
): Promise<readonly string[]> {
  if (images.length === 0) return [];
  if (images.length > MAX_IMAGES) throw refusedImage(`a question can have up to ${MAX_IMAGES} images`);
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

/** Sets the media type from the image's bytes, because its name and its stated type may be wrong (attack S11). */
function checked({ name, bytes }: ImageFile): ImageFile {
  const label = oneLine(name, 120);
  const type = imageTypeOf(bytes);
  if (type === undefined) throw refusedImage(`"${label}" is not a PNG, JPEG, GIF or WebP image`);
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw refusedImage(`"${label}" is larger than 10 MiB`);
  return { name: label === '' ? 'image' : label, type, bytes };
}

/** Returns the image as a file to upload. */
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
    tellUser: `One of the images could not be sent to the agent: ${why}.`,
  });
}
