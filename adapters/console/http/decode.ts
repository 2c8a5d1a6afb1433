/** Reads the JSON bodies of the console's routes, and contains their schemas. */

import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJson } from '../../../src/kit/json.ts';
import type { Clock } from '../../../src/kit.ts';
import { CORRECTION_CHARS, FILES, JSON_BYTES, TEXT_CHARS } from '../limits.ts';
import { badRequest, HttpRefusal } from '../refusal.ts';
import { readBody } from './body.ts';

/** Maximum time until a body has arrived, in milliseconds. */
const JSON_MS = 10_000;
/** Maximum UTF-16 units of an id or nonce, of a room's name, and of a room's topic. */
const ID_CHARS = 200;
const NAME_CHARS = 40;
const TOPIC_CHARS = 200;
/** Maximum UTF-16 units of a search that are read. */
const QUERY_CHARS = 500;

/** Reads a JSON body. Throws a refusal that names the first fault if the body does not fit the schema. */
export async function readFields<T>(
  schema: z.ZodType<T>,
  request: IncomingMessage,
  clock: Clock,
  bytes = JSON_BYTES,
): Promise<T> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) throw badRequest('The request must be JSON.');
  const body = await readBody(request, { bytes, ms: JSON_MS, what: 'message' }, clock);
  const fields = readJson(body.toString('utf8'));
  if (fields === undefined)
    throw badRequest('The request could not be read. Please reload the page and try again.');
  const { data, error } = schema.safeParse(fields);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const code = issue?.code === 'custom' ? issue.params?.code : undefined;
  throw new HttpRefusal(400, code ?? 'bad-request', issue?.message ?? '');
}

interface Issue {
  readonly path?: readonly PropertyKey[] | undefined;
}

const lacking = {
  error: ({ path: [key] = [] }: Issue) => `The request lacks "${String(key)}". Please reload the page.`,
};
const unknown = {
  error: ({ path: [key] = [] }: Issue) => `"${String(key)}" has no valid value. Please reload the page.`,
};

const text = z.string(lacking);
const id = text.min(1, unknown).max(ID_CHARS, unknown);

/** Replaces lone surrogates and NUL by U+FFFD, because stores and agents reject them. */
const clean = (value: string): string => value.toWellFormed().replaceAll('\0', '\ufffd');

/** Schema of a message's text. */
const words = text.overwrite(clean).refine((value) => value.length <= TEXT_CHARS, {
  error: ({ input }) => {
    const [length, limit] = [String(input).length, TEXT_CHARS].map((count) => count.toLocaleString('en'));
    return `That message has ${length} characters; up to ${limit} can be sent at once. Please shorten it, or attach the long part as a file.`;
  },
  params: { code: 'question-too-long' },
});

/** Returns the schema of a one-line text. Control characters and invisible characters are removed from it. */
const line = (maximum: number) =>
  text.overwrite((value) =>
    clean(value)
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim()
      .slice(0, maximum)
      .toWellFormed(),
  );

export const token = z.object({ token: text });
/** Maximum bytes of a body with the token. Strangers can send many such bodies at the same time. */
export const TOKEN_BYTES = 16 * 1024;

/** Schemas of the beginning and the end of a sign-in that connects an id in another channel. */
export const connecting = z.object({ channel: id });
export const returned = connecting.extend({ query: text });

export const act = z.object({ as: id });

export const again = act.extend({ nonce: id });

export const newRoom = act.extend({
  name: line(NAME_CHARS).min(1, 'A room needs a name.'),
  topic: line(TOPIC_CHARS).default(''),
  private: z.boolean(unknown).default(false),
});

export const changedRoom = act.extend({
  name: line(NAME_CHARS).min(1, 'A room needs a name.').exactOptional(),
  topic: line(TOPIC_CHARS).exactOptional(),
  archived: z.boolean(unknown).exactOptional(),
});

export const membership = act.extend({ person: id });

export const newConversation = act.extend({ agent: id });

export const newMessage = again
  .extend({
    text: words,
    files: z
      .array(z.string(lacking), lacking)
      .max(FILES, `Up to ${FILES} files can be sent with one message.`)
      .transform((ids) => [...new Set(ids)]),
    thread: id.exactOptional(),
  })
  .refine((message) => message.text.trim() !== '' || message.files.length > 0, {
    error: 'That message is empty. Write something, or add a file.',
    params: { code: 'question-empty' },
  });

export const rewriting = act.extend({
  text: words.refine((value) => value.trim() !== '', 'A message cannot be empty. Delete it instead.'),
});

export const position = act.extend({ room: id, thread: id.exactOptional(), message: id });

/** A longer query finds the same as its beginning. */
export const searching = act.extend({ text: text.transform((value) => value.slice(0, QUERY_CHARS)) });

export const newShare = act.extend({
  turn: id,
  source: text.exactOptional(),
  room: id,
  thread: id.exactOptional(),
});

const wording = (what: string, limit: number) =>
  text
    .overwrite(clean)
    .max(limit, `The ${what} is too long: up to ${limit.toLocaleString('en')} characters can be stored.`);

export const correction = act.extend({
  question: wording('question', CORRECTION_CHARS.question),
  answer: wording('answer', CORRECTION_CHARS.answer),
});

export const askAnother = again
  .extend({ agent: id })
  .transform(({ agent, ...press }) => ({ ...press, detail: agent }));

export const suggestion = again
  .extend({ text })
  .transform(({ text: detail, ...press }) => ({ ...press, detail }));

export const showing = again
  .extend({
    edition: z
      .int('The version is missing. Please reload the page.')
      .min(1, 'The version is missing. Please reload the page.'),
  })
  .transform(({ edition, ...press }) => ({ ...press, detail: String(edition) }));

export const judgement = act
  .extend({
    verdict: z.enum(['up', 'down', 'none'], 'The request contains no rating.'),
    note: text.overwrite(clean).exactOptional(),
  })
  .transform(({ verdict, ...press }) => ({ ...press, detail: verdict }));
