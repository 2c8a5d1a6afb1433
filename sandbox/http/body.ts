import type { IncomingMessage } from 'node:http';
import { asFields, type Fields } from './fields.ts';
import { parseJson } from './json.ts';
import { invalid, Refusal, tooLarge } from './refusal.ts';

/** Bytes of one JSON body: a question of 100,000 characters, escaped, with room to spare. */
const JSON_BODY_LIMIT = 2 * 1024 * 1024;

async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > limit) throw tooLarge(limit);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The body as a JSON object. An empty body is an empty object, so a missing member is named instead. */
export async function readFields(request: IncomingMessage): Promise<Fields> {
  const value = await readJson(request);
  if (value === undefined) return {};
  const fields = asFields(value);
  if (fields === undefined) throw invalid('The body must be a JSON object.');
  return fields;
}

/** The body as any JSON value, for the operations that take a bare array; undefined for an empty body. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(request, JSON_BODY_LIMIT);
  return bytes.length === 0 ? undefined : parseOrRefuse(bytes);
}

function parseOrRefuse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch {
    throw new Refusal(400, 422, 'The body is not valid JSON.');
  }
}
