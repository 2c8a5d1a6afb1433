import type { IncomingMessage } from 'node:http';
import { asFields, type Fields, tryJson } from './json.ts';
import { invalid, Refusal, tooLarge } from './reply.ts';

/** Maximum bytes of a JSON body. An escaped question of 100,000 characters fits. */
const JSON_BODY_LIMIT = 2 * 1024 * 1024;

/** Reads a body. Refuses a body of more than `limit` bytes, and a body that ends before its announced length. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    // If the iterator destroyed the request, its sender would not receive the refusal.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(part)) continue;
      size += part.length;
      if (size > limit) throw tooLarge(limit);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : invalid('The body ends too early.');
  }
  return Buffer.concat(parts);
}

/** Reads a body that may be any JSON value, such as an array; returns undefined for an empty body. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, JSON_BODY_LIMIT);
  if (body.length === 0) return undefined;
  const value = tryJson(body.toString('utf8'));
  if (value === undefined) throw invalid('The body is not valid JSON.');
  return value;
}

/**
 * Returns the body as an object. An empty body counts as an empty object, so that the refusal names the missing member.
 */
export function fieldsOf(body: unknown): Fields {
  const fields = asFields(body === undefined ? {} : body);
  if (fields === undefined) throw invalid('The body must be a JSON object.');
  return fields;
}

interface UploadedPart {
  readonly field: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/** A form: its texts by name, and its files in order. If a name is repeated, the last text counts. */
export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly UploadedPart[];
}

interface FormLimits {
  /** Maximum number of files in one form. */
  readonly files: number;
  readonly bytesEach: number;
  /** Maximum bytes of the whole body. */
  readonly bytesInAll: number;
}

/** Maximum texts of one form, and maximum bytes of each. */
const FIELDS = 100;
const FIELD_BYTES = 64 * 1024;
/** Matches a content type with a boundary as RFC 2046 defines it. */
const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"[^"]{1,70}"|[^";\s]{1,70})\s*(?:;|$)/i;
const BROKEN = 'The multipart body is broken or ends too early.';

/** Reads a multipart body. Refuses a body that is not multipart, is too large, or ends early. */
export async function readForm(request: IncomingMessage, limits: FormLimits): Promise<Form> {
  const type = request.headers['content-type'] ?? '';
  if (!BOUNDARY.test(type)) {
    throw invalid('The body must be multipart/form-data with a boundary of 1 to 70 characters.');
  }
  const body = await readBody(request, limits.bytesInAll);
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    throw invalid(BROKEN);
  });
  const fields = new Map<string, string>();
  const files: UploadedPart[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') fields.set(field, withinLimit(field, value));
    else files.push({ field, name: value.name, bytes: await bytesOf(value, limits) });
    if (files.length > limits.files) throw invalid(`At most ${limits.files} files are accepted.`);
    if (fields.size > FIELDS) throw invalid(`At most ${FIELDS} fields are accepted.`);
  }
  return { fields, files };
}

function withinLimit(field: string, value: string): string {
  if (Buffer.byteLength(value) <= FIELD_BYTES) return value;
  throw invalid(`The field ${field} is larger than ${FIELD_BYTES} bytes.`);
}

async function bytesOf(file: File, { bytesEach }: FormLimits): Promise<Buffer> {
  if (file.size > bytesEach) throw invalid(`The file ${file.name} is larger than ${bytesEach} bytes.`);
  return Buffer.from(await file.arrayBuffer());
}
