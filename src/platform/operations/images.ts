import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { asList, idOf, isFields } from '../shapes.ts';
import type { FormPart } from '../transport.ts';

const file = z.object({
  name: z.string().min(1),
  type: z.string(),
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
});
const files = z.array(file).min(1);
/** Image ids in the order of the files. */
const imageIds = z.array(z.string()).min(1);

const parts = (list: z.infer<typeof files>): FormPart[] =>
  list.map(({ name, type, bytes }) => ({ name: 'files', fileName: name, type, bytes }));

/** `data.ids`, `data` as a list of ids, or a list of objects with an id (platform contract IMG-4). */
function readIds(body: unknown): unknown {
  const data = isFields(body) ? body.data : undefined;
  const list = asList(isFields(data) ? data.ids : data) ?? [];
  return list.map((item) => (isFields(item) ? idOf(item, ['id', 'image_id', 'file_id']) : item));
}

/** Platform contract IMG-1, IMG-4. */
export const uploadImages = defineOperation({
  id: 'uploadImages',
  capability: 'images',
  doc: 'Uploads the images of a question and returns their ids.',
  method: 'POST',
  path: '/webapi/lite_api/v2/api/chat-with-bot/upload-images',
  credential: 'key-or-bearer',
  answer: 'json',
  retry: 'never',
  request: z.object({ files }),
  response: imageIds,
  wire: (request) => ({ form: parts(request.files) }),
  read: readIds,
});

/** Platform contract IMG-2. */
export const uploadImagesLegacy = defineOperation({
  id: 'uploadImagesLegacy',
  capability: 'images',
  doc: 'Uploads the images of a question to one agent, in the older form.',
  method: 'POST',
  path: '/webapi/lite_api/v2/api/chat-with-bot/{agent_id}/upload-images',
  credential: 'key-or-bearer',
  answer: 'json',
  retry: 'never',
  request: z.object({ agentId: z.string().min(1), files }),
  response: imageIds,
  wire: (request) => ({ path: { agent_id: request.agentId }, form: parts(request.files) }),
  read: readIds,
});
