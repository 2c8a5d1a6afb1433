import { z } from 'zod';
import { MAX_IMAGES } from '../limits.ts';
import { operationsOf } from '../operation.ts';
import { finderIn, idOf, isFields, many, one } from '../shapes.ts';
import { dataOf } from '../wire/answers.ts';
import { file, text } from '../wire/members.ts';

const files = z
  .array(file('A PNG, JPEG, GIF or WebP image'))
  .min(1)
  .max(MAX_IMAGES)
  .describe('The images of the question, in their order');

const operation = operationsOf('images', 'key-or-bearer');
const uploading = {
  method: 'POST',
  body: 'form',
  shape: 'many',
  response: z.array(z.string()).min(1).describe('Ids of the images, in the order of the files'),
  read: readIds,
} as const;

/**
 * Reads the ids of uploaded images: `data.ids`, or `data` as a list of ids or of objects with an id (platform
 * contract IMG-4).
 */
function readIds(body: unknown): unknown {
  const data = typeof body === 'object' ? dataOf(body) : undefined;
  const inner = one(data);
  const list = (inner && finderIn(inner)(['ids'])) ?? data;
  return many(list).map((item) => (isFields(item) ? idOf(item, ['id', 'image_id', 'file_id']) : item));
}

/** Uploads the images of a question as a form (platform contract IMG-1) and returns their ids (IMG-4). */
export const uploadImages = operation({
  ...uploading,
  id: 'uploadImages',
  command: 'upload',
  doc: 'Uploads the images of a question and returns their ids.',
  path: '/webapi/lite_api/v2/api/chat-with-bot/upload-images',
  request: z.strictObject({ files }),
});

/** Uploads images to one agent by the legacy path, which contains the agent's id (platform contract IMG-2). */
export const uploadImagesLegacy = operation({
  ...uploading,
  id: 'uploadImagesLegacy',
  command: 'upload-legacy',
  doc: "Uploads the images of a question to one agent. The path of the request contains the agent's id.",
  path: '/webapi/lite_api/v2/api/chat-with-bot/{agent_id}/upload-images',
  request: z.strictObject({ agentId: text("The agent's uuid", { name: 'agent_id' }), files }),
});
