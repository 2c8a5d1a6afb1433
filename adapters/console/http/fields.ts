import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../src/kit.ts';
import { JSON_BYTES } from '../limits.ts';
import { badRequest } from '../refusal.ts';
import { readBody } from './body.ts';
import { type Fields, parseJson } from './decode.ts';

/** Maximum time for a body to arrive, in milliseconds. */
const JSON_MS = 10_000;

/** The members of a JSON body. */
export async function readFields(request: IncomingMessage, clock: Clock): Promise<Fields> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) throw badRequest('The request must be JSON.');
  return parseJson(await readBody(request, { bytes: JSON_BYTES, ms: JSON_MS, what: 'message' }, clock));
}
