import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { BridgeError } from '../../errors.ts';
import { oneLine } from '../redact.ts';
import { reasonOf } from '../shapes.ts';
import type { FileSource } from './members.ts';

/** One part of a form: a text or a file. */
export type FormPart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: FileSource };

/**
 * A form that is sent as a request body. Files are read one after the other and never held in memory as a whole.
 * Reading throws `platform-parameter` if a file cannot be read or changes while it is sent.
 */
export interface FormBody {
  readonly type: string;
  /** Total number of bytes of the body. */
  readonly length: number;
  bytes(): AsyncGenerator<Uint8Array, void, undefined>;
}

const encoder = new TextEncoder();
/** Maximum length of a file name in an error message, in characters. */
const SHOWN_NAME = 120;
const END = encoder.encode('\r\n');

/**
 * Builds a `multipart/form-data` body (RFC 7578) with names in UTF-8 (platform contract FIL-1).
 * @param boundary must not occur in any part
 */
export function formBody(parts: readonly FormPart[], boundary: string): FormBody {
  const heads = parts.map((part) => encoder.encode(headOf(part, boundary)));
  const last = encoder.encode(`--${boundary}--\r\n`);
  const sizes = parts.map((part, index) => (heads[index]?.length ?? 0) + sizeOf(part) + END.length);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: sizes.reduce((sum, size) => sum + size, last.length),
    async *bytes() {
      for (const [index, part] of parts.entries()) {
        yield heads[index] ?? END;
        if ('text' in part) yield encoder.encode(part.text);
        else yield* wholeFile(part.file);
        yield END;
      }
      yield last;
    },
  };
}

/**
 * Yields exactly `size` bytes, because the length of the form is sent before its content. Throws if the file has
 * become shorter or longer.
 */
async function* wholeFile(file: FileSource): AsyncGenerator<Uint8Array, void, undefined> {
  const { name, size } = file;
  let given = 0;
  try {
    for await (const chunk of file.open()) {
      given += chunk.byteLength;
      if (given > size) break;
      yield chunk;
    }
  } catch (thrown) {
    throw unsent(name, `could not be read (${reasonOf(thrown)})`, thrown);
  }
  if (given > size) throw unsent(name, `contains more than ${size} bytes, because it grew while it was sent`);
  if (given < size)
    throw unsent(name, `contains ${given} bytes instead of ${size}, because it shrank while it was sent`);
}

function unsent(name: string, fault: string, cause?: unknown): BridgeError {
  return new BridgeError(
    'platform-parameter',
    `The upload was stopped: ${oneLine(name, SHOWN_NAME)} ${fault}.`,
    cause === undefined ? {} : { cause },
  );
}

const sizeOf = (part: FormPart): number =>
  'text' in part ? encoder.encode(part.text).length : part.file.size;

function headOf(part: FormPart, boundary: string): string {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(part.name)}"`;
  if ('text' in part) return `${disposition}\r\n\r\n`;
  const { name, type = 'application/octet-stream' } = part.file;
  return `${disposition}; filename="${quoted(name)}"\r\nContent-Type: ${type.replace(/[\r\n]/g, ' ')}\r\n\r\n`;
}

/** Escapes names as browsers do, so that a name cannot end the header line or the quotation. */
const quoted = (name: string): string =>
  name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');

/**
 * Bytes per read. Node frees large buffers only after it has collected 64 MiB of them. An upload of 1 GiB therefore
 * needs 66 MiB of memory with the default of 64 KiB per read, and 17 MiB with this value, at 120 MiB/s (`npm run
 * bench -- upload`).
 */
const CHUNK_BYTES = 8 * 1024;

/** Opens a file for an upload; its content is read while it is sent. Throws `usage` if there is no such file. */
export async function fileFromDisk(path: string): Promise<FileSource> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined || !info.isFile()) throw new BridgeError('usage', `There is no file ${path}.`);
  return {
    name: basename(path),
    size: info.size,
    open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
  };
}
