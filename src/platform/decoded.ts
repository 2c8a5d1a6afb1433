import { pipeline, type Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { BridgeError } from '../errors.ts';

/**
 * The bytes under a content encoding, in pieces as they come. We ask for none, but a proxy may add one; the reader
 * counts decoded bytes, so a small body that inflates is stopped like a large one (trust contract S09).
 */
export function decoded(body: Readable, encoding: string | undefined): AsyncIterable<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return body;
  const decoder = decoderOf(name);
  if (decoder === undefined) {
    body.destroy();
    throw new BridgeError(
      'platform-protocol',
      `The platform used the content encoding "${name.slice(0, 20)}".`,
    );
  }
  // The iteration of the decoder reports the failure; this callback only keeps it from being uncaught.
  pipeline(body, decoder, () => undefined);
  return decoder;
}

function decoderOf(name: string): Transform | undefined {
  const flush = { flush: constants.Z_SYNC_FLUSH };
  if (name === 'gzip' || name === 'x-gzip') return createGunzip(flush);
  if (name === 'deflate') return createInflate(flush);
  if (name === 'br') return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  return name === 'zstd' ? createZstdDecompress() : undefined;
}
