import type { IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';
import { invalid, tooLarge } from './reply.ts';

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
const BOUNDARY = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^";\s]{1,70}))\s*(?:;|$)/i;
/** Bytes of white space that may follow the boundary at the end of the body. */
const MARGIN = 8;

/** Reads a multipart body. Refuses a body that is not multipart, is too large, or ends early. */
export async function readForm(request: IncomingMessage, limits: FormLimits): Promise<Form> {
  const type = request.headers['content-type'] ?? '';
  const [, quoted, bare] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) {
    throw invalid('The body must be multipart/form-data with a boundary of 1 to 70 characters.');
  }
  if (Number(request.headers['content-length'] ?? 0) > limits.bytesInAll) throw tooLarge(limits.bytesInAll);
  const { Busboy } = await import('@fastify/busboy');
  const parser = new Busboy({
    headers: { ...request.headers, 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: {
      files: limits.files,
      fileSize: limits.bytesEach,
      fields: FIELDS,
      fieldSize: FIELD_BYTES,
      parts: limits.files + FIELDS,
    },
  });
  return await collect(request, parser, limits, `--${boundary}--`);
}

/** Reads the parts of a form. `closing` is the boundary with which the body must end. */
function collect(
  request: IncomingMessage,
  parser: BusboyInstance,
  limits: FormLimits,
  closing: string,
): Promise<Form> {
  const fields = new Map<string, string>();
  const files: UploadedPart[] = [];
  let reading = 0;
  let size = 0;
  let tail = '';
  return new Promise((resolve, reject) => {
    const fail = (why: Error) => {
      request.unpipe(parser);
      request.resume();
      reject(why);
    };
    const broken = () => fail(invalid('The multipart body is broken or ends too early.'));
    parser.on('filesLimit', () => fail(invalid(`At most ${limits.files} files are accepted.`)));
    parser.on('fieldsLimit', () => fail(invalid(`At most ${FIELDS} fields are accepted.`)));
    parser.on('partsLimit', () => fail(invalid('The form has too many parts.')));
    parser.on('field', (name, value, _nameCut, valueCut) => {
      if (valueCut) fail(invalid(`The field ${name} is larger than ${FIELD_BYTES} bytes.`));
      fields.set(name, value);
    });
    parser.on('file', (field, stream, name) => {
      const parts: Buffer[] = [];
      reading += 1;
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('limit', () =>
        fail(invalid(`The file ${name ?? ''} is larger than ${limits.bytesEach} bytes.`)),
      );
      stream.on('end', () => {
        reading -= 1;
        files.push({ field, name: name ?? 'file', bytes: Buffer.concat(parts) });
      });
      stream.on('error', broken);
    });
    // The parser accepts a body that ends inside a part. Only the closing boundary proves that the body is complete.
    parser.on('finish', () => {
      if (reading === 0 && tail.trimEnd().endsWith(closing)) resolve({ fields, files });
      else broken();
    });
    parser.on('error', broken);
    request.on('aborted', broken);
    request.on('data', (part: Buffer) => {
      size += part.length;
      const kept = closing.length + MARGIN;
      tail = (tail + part.subarray(-kept).toString('latin1')).slice(-kept);
      if (size > limits.bytesInAll) fail(tooLarge(limits.bytesInAll));
    });
    request.pipe(parser);
  });
}
