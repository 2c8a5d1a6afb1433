import { z } from 'zod';
import { asFields, idText } from '../http/json.ts';
import { invalid, known } from '../http/reply.ts';
import { exact, flag, integer, required, text, textList } from '../http/schema.ts';
import { type Images, MAX_IMAGES, type StoredImage } from '../store/images.ts';
import type { PastTurn } from '../store/sessions.ts';

interface LiteMessage {
  readonly role: string;
  readonly text: string;
  readonly images: readonly StoredImage[];
}

export type LiteRequest = z.output<ReturnType<typeof chatBody>>;

const ASKING_ROLES = ['user', 'human'];
const KEY_ROLES = ['user', 'ai', 'system', 'human', 'assistant'];
const MESSAGES = 'must be an array with at least one element';
const CONTENT = 'The content must be a string or an array of parts.';

/** Schema of the body of both lite chats (platform contract CHL-3 to CHL-14: members of a chat request). */
export const chatBody = (kind: 'key' | 'token', images: Images) =>
  exact({
    messages: z
      .array(z.unknown(), required(MESSAGES))
      .min(1, MESSAGES)
      .refine((list) => kind === 'key' || list.length === 1, 'takes at most one element')
      .pipe(z.array(message(kind === 'key' ? KEY_ROLES : ASKING_ROLES, images)))
      .refine(
        (list) => ASKING_ROLES.includes(list.at(-1)?.role ?? ''),
        'The last message must have the role user or human.',
      ),
    layout_mode: integer(0).pipe(z.literal([0, 1], 'must be 0 or 1')),
    stream: flag(false),
    show_tool_result: flag(false),
    file_id: textList,
    workspace_id: textList,
    skip_hint: flag(false),
    conversation_id: kind === 'token' ? text : z.unknown().transform(() => undefined),
  }).transform(({ messages, ...members }) => ({
    ...questionOf(messages.at(-1)),
    /** Earlier turns in the request. Always empty in token chat, where the stored conversation supplies them. */
    history: turnsOf(messages.slice(0, -1)),
    stream: members.stream,
    showToolResult: members.show_tool_result,
    documents: members.file_id,
    workspaces: members.workspace_id,
    retrievalOnly: members.layout_mode === 1,
    skipHint: members.skip_hint,
    conversation: members.conversation_id,
  }));

const message = (roles: readonly string[], images: Images) =>
  exact(
    {
      role: z
        .string('is missing')
        .refine((role) => roles.includes(role), `The role must be one of ${roles.join(', ')}.`),
      content: z
        .union([z.string(), z.array(z.unknown())], required(CONTENT))
        .transform((content) => readContent(content, images)),
    },
    'A message must be an object.',
  ).transform(
    ({ role, content }): LiteMessage => ({
      role,
      text: content.flatMap(({ said }) => said ?? []).join('\n'),
      images: content.flatMap(({ shown }) => shown),
    }),
  );

function questionOf({ text: question = '', images = [] }: Partial<LiteMessage> = {}) {
  if (question.trim() === '' && images.length === 0)
    throw invalid('The last message must contain text or an image.');
  if (images.length > MAX_IMAGES) throw invalid(`A message takes at most ${MAX_IMAGES} images.`);
  return { question, images };
}

interface Part {
  readonly said?: string;
  readonly shown: readonly StoredImage[];
}

function readContent(content: string | readonly unknown[], images: Images): readonly Part[] {
  if (typeof content === 'string') return [{ said: content, shown: [] }];
  return content.map((value) => {
    const part = asFields(value);
    if (part?.type === 'text' && typeof part.text === 'string') return { said: part.text, shown: [] };
    if (part?.type !== 'image_ids') throw invalid('The type of a content part must be text or image_ids.');
    if (!Array.isArray(part.image_ids))
      throw invalid('The parameter "image_ids" must be an array of strings.');
    const ids = part.image_ids.map((id: unknown) => idText(id) ?? '');
    return { shown: ids.map((id) => known(images.uploaded(id), `image ${id}`, invalid)) };
  });
}

/** Pairs each question with its answer, which is empty if the question has none. Skips system messages. */
function turnsOf(messages: readonly LiteMessage[]): readonly PastTurn[] {
  const turns: PastTurn[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const last = turns.at(-1);
    if (ASKING_ROLES.includes(message.role)) turns.push({ question: message.text, answer: '', sources: [] });
    else if (last !== undefined) turns[turns.length - 1] = { ...last, answer: last.answer + message.text };
  }
  return turns;
}
