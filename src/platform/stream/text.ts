import { successOf } from '../envelope.ts';
import { tryJson } from '../json.ts';
import { asFields, asList, type Fields, idOf, isFields, one } from '../shapes.ts';

/**
 * The text of a chunk, and the name of the field that contained it. The name indicates whether the text appends or
 * replaces.
 */
export interface ChunkText {
  readonly text: string;
  readonly name: string;
}

const NAMES = [
  'delta',
  'content',
  'text',
  'full_output',
  'output',
  'answer',
  'token',
  'chunk',
  'result',
  'message',
] as const;
/** Matches a string that is malformed JSON of a chunk, which must not become part of the answer. */
const CUT_CONTAINER = new RegExp(
  `^\\s*\\{\\s*"(?:${[...NAMES, 'data', 'code', 'success', 'choices'].join('|')})"\\s*:`,
);
const WHOLE_FIRST = ['full_output', ...NAMES.filter((name) => name !== 'full_output')];

/**
 * Returns the objects of a chunk that may contain its fields, outermost first; an empty list if the chunk is not an
 * object (platform contract DEC-10). Callers compute it only once per chunk, because it is expensive.
 */
export function placesOf(chunk: unknown): readonly Fields[] {
  if (!isFields(chunk)) return [];
  const outer = lowered(chunk);
  const data = opened(outer.data);
  const inner = data && opened(data.data);
  const choice = one(asList(outer.choices));
  const nested = choice && [asFields(choice.delta), asFields(choice.message)];
  return [outer, data, inner, ...(nested ?? [])].filter(isFields);
}

/** Returns the fields with names that begin in lower case: servers may send `Content` for `content` (INC-4). */
function lowered(fields: Fields): Fields {
  const names = Object.keys(fields);
  if (!names.some((name) => /^[A-Z]/.test(name))) return fields;
  return Object.fromEntries(
    names.map((name) => [name.charAt(0).toLowerCase() + name.slice(1), fields[name]]),
  );
}

/** Returns the value as an object, which may be JSON inside a string or the element of a list (GEN-14). */
function opened(value: unknown): Fields | undefined {
  const read = typeof value === 'string' && value.trimStart().startsWith('{') ? tryJson(value) : value;
  const fields = one(read);
  return fields && lowered(fields);
}

/** Returns the text of a stream's chunk (platform contract DEC-10). */
export function chunkText(chunk: unknown, places = placesOf(chunk)): ChunkText | undefined {
  return textIn(chunk, NAMES, places);
}

/**
 * Returns the text of an end event or of an answer in one body. A field with the complete text takes precedence
 * (platform contract DEC-12, DEC-16).
 */
export function finalText(body: unknown): ChunkText | undefined {
  return textIn(body, WHOLE_FIRST, placesOf(body));
}

function textIn(value: unknown, names: readonly string[], places: readonly Fields[]): ChunkText | undefined {
  if (typeof value === 'string') return { text: value, name: 'content' };
  if (!isFields(value)) return undefined;
  let empty: ChunkText | undefined;
  for (const fields of places) {
    const found = memberText(fields, names);
    if (found !== undefined && found.text !== '') return found;
    empty ??= found;
  }
  const data = places[0]?.data;
  // `data` may be the text itself. JSON inside `data` was already parsed above.
  if (typeof data === 'string' && data !== '' && opened(data) === undefined && !CUT_CONTAINER.test(data))
    return { text: data, name: 'content' };
  return empty;
}

/**
 * Returns the first of these fields that contains text. In an envelope, `message` is a description and does not
 * count.
 */
function memberText(fields: Fields, names: readonly string[]): ChunkText | undefined {
  let empty: ChunkText | undefined;
  for (const name of names) {
    if (name === 'message' && ('code' in fields || successOf(fields) !== undefined)) continue;
    const text = plainText(fields[name]);
    if (text === undefined) continue;
    if (text !== '') return { text, name };
    empty ??= { text, name };
  }
  return empty;
}

function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const parts = asList(value);
  if (parts === undefined) return undefined;
  const texts = parts
    .map((part) => (isFields(part) ? part.text : part))
    .filter((text) => typeof text === 'string');
  return texts.length === 0 ? undefined : texts.join('');
}

const SESSION_NAMES = ['sessionId', 'conversation_id', 'conversationId', 'session_id'];
const RECORD_NAMES = ['chatRecordId', 'chat_record_id'];

export interface Ids {
  readonly session?: string;
  readonly chatRecord?: string;
}

/**
 * Returns the session id and the record id of a chunk. They may be in any object that can also hold the chunk's text
 * (platform contract DEC-15).
 */
export function idsOf(chunk: unknown, places = placesOf(chunk)): Ids {
  const session = firstId(places, SESSION_NAMES);
  const chatRecord = firstId(places, RECORD_NAMES);
  return {
    ...(session === undefined ? {} : { session }),
    ...(chatRecord === undefined ? {} : { chatRecord }),
  };
}

function firstId(places: readonly Fields[], names: readonly string[]): string | undefined {
  for (const fields of places) {
    const id = idOf(fields, names);
    if (id !== undefined) return id;
  }
  return undefined;
}
