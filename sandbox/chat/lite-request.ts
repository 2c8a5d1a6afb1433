import {
  asFields,
  type Fields,
  idText,
  optionalFlag,
  optionalInteger,
  optionalText,
  textList,
} from '../http/fields.ts';
import { invalid, missing } from '../http/refusal.ts';
import type { Images, StoredImage } from '../store/images.ts';
import type { PastTurn } from '../store/sessions.ts';

export interface LiteRequest {
  readonly question: string;
  readonly images: readonly StoredImage[];
  /** Turns that came with the request (key chat). */
  readonly history: readonly PastTurn[];
  readonly stream: boolean;
  readonly showToolResult: boolean;
  readonly documents: readonly string[];
  readonly workspaces: readonly string[];
  readonly retrievalOnly: boolean;
  readonly skipHint: boolean;
  readonly conversation: string | undefined;
}

interface LiteMessage {
  readonly role: string;
  readonly text: string;
  readonly images: readonly StoredImage[];
}

const ASKING_ROLES = ['user', 'human'];
const KEY_ROLES = ['user', 'ai', 'system', 'human', 'assistant'];

/** Decodes the body of both lite chats (platform contract CHL-3 to CHL-14). */
export function readLiteRequest(fields: Fields, kind: 'key' | 'token', images: Images): LiteRequest {
  const messages = readMessages(fields, kind, images);
  const last = messages.at(-1);
  if (last === undefined || !ASKING_ROLES.includes(last.role)) {
    throw invalid('The last message must have the role user or human.');
  }
  const layout = optionalInteger(fields, 'layout_mode') ?? 0;
  if (layout !== 0 && layout !== 1) throw invalid('The parameter layout_mode must be 0 or 1.');
  return {
    question: last.text,
    images: last.images,
    history: turnsOf(messages.slice(0, -1)),
    stream: optionalFlag(fields, 'stream'),
    showToolResult: optionalFlag(fields, 'show_tool_result'),
    documents: textList(fields, 'file_id'),
    workspaces: textList(fields, 'workspace_id'),
    retrievalOnly: layout === 1,
    skipHint: optionalFlag(fields, 'skip_hint'),
    conversation: kind === 'token' ? optionalText(fields, 'conversation_id') : undefined,
  };
}

function readMessages(fields: Fields, kind: 'key' | 'token', images: Images): readonly LiteMessage[] {
  const { messages } = fields;
  if (messages === undefined || messages === null) throw missing('messages');
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('The parameter messages must be an array with at least one element.');
  }
  if (kind === 'token' && messages.length > 1)
    throw invalid('The parameter messages takes at most one element.');
  const roles = kind === 'key' ? KEY_ROLES : ASKING_ROLES;
  return messages.map((message: unknown) => readMessage(message, roles, images));
}

function readMessage(value: unknown, roles: readonly string[], images: Images): LiteMessage {
  const fields = asFields(value);
  if (fields === undefined) throw invalid('A message must be an object.');
  if (typeof fields.role !== 'string') throw missing('messages.role');
  if (!roles.includes(fields.role)) throw invalid(`The role must be one of ${roles.join(', ')}.`);
  if (fields.content === undefined || fields.content === null) throw missing('messages.content');
  if (typeof fields.content === 'string') return { role: fields.role, text: fields.content, images: [] };
  if (!Array.isArray(fields.content)) throw invalid('The content must be a string or an array of parts.');
  const parts = fields.content.map((part: unknown) => readPart(part, images));
  return {
    role: fields.role,
    text: parts.flatMap((part) => part.text ?? []).join('\n'),
    images: parts.flatMap((part) => part.images),
  };
}

interface Part {
  readonly text?: string;
  readonly images: readonly StoredImage[];
}

function readPart(value: unknown, images: Images): Part {
  const part = asFields(value);
  if (part?.type === 'text' && typeof part.text === 'string') return { text: part.text, images: [] };
  if (part?.type !== 'image_ids') throw invalid('The type of a content part must be text or image_ids.');
  if (!Array.isArray(part.image_ids)) throw invalid('The parameter image_ids must be an array of strings.');
  return {
    images: part.image_ids.map((id: unknown) => {
      const image = images.uploaded(idText(id) ?? '');
      if (image === undefined) throw invalid(`The image ${idText(id) ?? ''} is unknown.`);
      return image;
    }),
  };
}

/** Pairs of question and answer; a question without an answer stands alone, system messages are left out. */
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
