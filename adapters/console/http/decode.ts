/** JSON bodies of the console's routes: unknown in, typed out. */

import { FILES, TEXT_CHARS } from '../limits.ts';
import { badRequest, HttpRefusal } from '../refusal.ts';
import type { ReplyAct } from '../reply-acts.ts';
import type { Act, NewMessage, NewRoom, NewShare, Rewriting } from '../wire.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** UTF-16 units of an id, a nonce, a token. */
const ID_CHARS = 200;
const NAME_CHARS = 40;
const TOPIC_CHARS = 200;

export function parseJson(bytes: Buffer): Fields {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Said below, like every other body that is no object.
  }
  throw badRequest('The request could not be read. Please reload the page and try again.');
}

export function readNewMessage(fields: Fields): NewMessage {
  const thread = optional(fields, 'thread');
  const message = {
    as: id(fields, 'as'),
    text: clean(text(fields, 'text')),
    files: ids(fields, 'files', FILES),
    ...(thread === undefined ? {} : { thread }),
    nonce: id(fields, 'nonce'),
  };
  if (message.text.length > TEXT_CHARS) throw tooLong(message.text.length);
  if (message.text.trim() === '' && message.files.length === 0) {
    throw new HttpRefusal(400, 'question-empty', 'That message is empty. Write something, or add a file.');
  }
  return message;
}

export function readNewRoom(fields: Fields): NewRoom {
  const topic = fields.topic === undefined ? '' : line(text(fields, 'topic'), TOPIC_CHARS);
  const name = line(text(fields, 'name'), NAME_CHARS);
  if (name === '') throw badRequest('A room needs a name.');
  return { as: id(fields, 'as'), name, topic };
}

export function readNewShare(fields: Fields): NewShare {
  const thread = optional(fields, 'thread');
  return {
    as: id(fields, 'as'),
    turn: id(fields, 'turn'),
    ...(fields.source === undefined ? {} : { source: text(fields, 'source') }),
    room: id(fields, 'room'),
    ...(thread === undefined ? {} : { thread }),
  };
}

export const readAgain = (fields: Fields): ReplyAct => ({
  as: id(fields, 'as'),
  nonce: id(fields, 'nonce'),
});

export const readAskAnother = (fields: Fields): ReplyAct => ({
  ...readAgain(fields),
  detail: id(fields, 'agent'),
});

export const readSuggestion = (fields: Fields): ReplyAct => ({
  ...readAgain(fields),
  detail: text(fields, 'text'),
});

export function readShowing(fields: Fields): ReplyAct {
  const { edition } = fields;
  if (typeof edition !== 'number' || !Number.isSafeInteger(edition) || edition < 1) {
    throw badRequest('The request names no version.');
  }
  return { ...readAgain(fields), detail: String(edition) };
}

export function readJudgement(fields: Fields): ReplyAct {
  const { verdict } = fields;
  if (verdict !== 'up' && verdict !== 'down' && verdict !== 'none') {
    throw badRequest('The request contains no rating.');
  }
  const note = fields.note === undefined ? undefined : clean(text(fields, 'note'));
  return { as: id(fields, 'as'), detail: verdict, ...(note === undefined ? {} : { note }) };
}

export function readRewriting(fields: Fields): Rewriting {
  return { as: id(fields, 'as'), text: readWords(fields) };
}

/** The words of a message, which may not be without any. */
function readWords(fields: Fields): string {
  const words = clean(text(fields, 'text'));
  if (words.length > TEXT_CHARS) throw tooLong(words.length);
  if (words.trim() === '') throw badRequest('That message is empty now. Delete it instead.');
  return words;
}

export const readAct = (fields: Fields): Act => ({ as: id(fields, 'as') });

export function readToken(fields: Fields): string {
  return text(fields, 'token');
}

function tooLong(length: number): HttpRefusal {
  const limit = TEXT_CHARS.toLocaleString('en');
  const message = `That message has ${length.toLocaleString('en')} characters; up to ${limit} can be sent at once. Please shorten it, or attach the long part as a file.`;
  return new HttpRefusal(400, 'question-too-long', message);
}

function text(fields: Fields, key: string): string {
  const value = fields[key];
  if (typeof value !== 'string') throw badRequest(`The request lacks "${key}". Please reload the page.`);
  return value;
}

function id(fields: Fields, key: string): string {
  const value = text(fields, key);
  if (value === '' || value.length > ID_CHARS)
    throw badRequest(`"${key}" is not known here. Please reload the page.`);
  return value;
}

function optional(fields: Fields, key: string): string | undefined {
  return fields[key] === undefined ? undefined : id(fields, key);
}

function ids(fields: Fields, key: string, most: number): readonly string[] {
  const value = fields[key];
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) {
    throw badRequest(`The request lacks "${key}". Please reload the page.`);
  }
  if (value.length > most) throw badRequest(`Up to ${most} files can be sent with one message.`);
  return [...new Set(value)];
}

/** Replaces characters that no store or agent can hold by the replacement character. */
const clean = (value: string): string => value.toWellFormed().replaceAll('\0', '\ufffd');

/** One line without control and reordering characters. */
function line(value: string, most: number): string {
  return clean(value)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed();
}
