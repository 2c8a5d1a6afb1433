/** Reads the JSON bodies of the console's routes. */

import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJson } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import { text } from '../bodies.ts';
import { JSON_BYTES } from '../limits.ts';
import { badRequest, HttpRefusal } from '../refusal.ts';
import { readBody } from './body.ts';

/** Maximum time until a body has arrived, in milliseconds. */
const JSON_MS = 10_000;

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

export const token = z.object({ token: text });
/** Maximum bytes of a body with the token. Strangers can send many such bodies at the same time. */
export const TOKEN_BYTES = 16 * 1024;
