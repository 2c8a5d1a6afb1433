import type { IncomingMessage } from 'node:http';
import { invalid, tooLarge } from './refusal.ts';

export interface UploadedPart {
  readonly field: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export interface MultipartLimits {
  readonly parts: number;
  readonly bytesEach: number;
}

/** All file parts of a multipart body. A body that is not multipart, or ends early, is refused. */
export async function readFiles(request: IncomingMessage, limits: MultipartLimits): Promise<UploadedPart[]> {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;.*boundary=/i.test(type)) {
    throw invalid('The body must be multipart/form-data with a boundary.');
  }
  const total = limits.parts * limits.bytesEach + 64 * 1024;
  if (Number(request.headers['content-length'] ?? 0) > total) throw tooLarge(total);
  const { Busboy } = await import('@fastify/busboy');
  const files: UploadedPart[] = [];
  const parser = new Busboy({
    headers: { ...request.headers, 'content-type': type },
    limits: { files: limits.parts, fileSize: limits.bytesEach, fields: 100 },
  });
  return await new Promise((resolve, reject) => {
    let reading = 0;
    const fail = (sentence: string) => {
      request.unpipe(parser);
      request.resume();
      reject(invalid(sentence));
    };
    parser.on('filesLimit', () => fail(`At most ${limits.parts} files are accepted.`));
    parser.on('file', (field, stream, name) => {
      const parts: Buffer[] = [];
      reading += 1;
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('limit', () => fail(`The file ${name ?? ''} is larger than ${limits.bytesEach} bytes.`));
      stream.on('end', () => {
        reading -= 1;
        files.push({ field, name: name ?? 'file', bytes: Buffer.concat(parts) });
      });
      stream.on('error', () => fail('The multipart body is broken.'));
    });
    parser.on('finish', () => (reading === 0 ? resolve(files) : fail('The multipart body ends too early.')));
    parser.on('error', () => fail('The multipart body is broken.'));
    request.on('aborted', () => fail('The multipart body ends too early.'));
    request.pipe(parser);
  });
}
