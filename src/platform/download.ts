import type { z } from 'zod';
import type { Alarm } from './alarm.ts';
import { attempted } from './client.ts';
import { refusalOf } from './envelope.ts';
import { open, refused, unreadable } from './exchange.ts';
import { tryJson } from './json.ts';
import { MAX_DOWNLOAD_BYTES, MAX_ERROR_BYTES } from './limits.ts';
import type { Operation } from './operation.ts';
import { percentDecoded } from './shapes.ts';
import type { WireAnswer } from './transport.ts';
import { type CallContext, startIdleAlarm, type Wiring } from './wiring.ts';

/** Content that arrives as a stream and can be read once. */
export interface Download {
  /** The platform's name for the file, without a folder; absent if it sent none. */
  readonly name?: string;
  /** The content type that the platform sent. */
  readonly type: string;
  /** Yields the content. Throws `platform-interrupted`, `platform-idle` or `platform-too-large`. */
  bytes(): AsyncGenerator<Uint8Array, void, undefined>;
}

/**
 * Downloads content of any type. Throws an error if the platform sends an error envelope instead, whatever its
 * content type (platform contract FIL-8).
 */
export function download<Schema extends z.ZodObject>(
  wiring: Wiring,
  operation: Operation<Schema, unknown>,
  request: z.input<Schema>,
  context: CallContext,
): Promise<Download> {
  const silence = new AbortController();
  const signal = AbortSignal.any([context.signal, silence.signal]);
  return attempted(wiring, operation, { ...context, signal }, async ({ headers, limitMs }) => {
    const ticket = { headers, signal, firstByteMs: limitMs, accept: '*/*' };
    const answer = await open(wiring, operation, request, ticket);
    const bytes = watched(answer, startIdleAlarm(wiring, answer.operation, silence));
    const opening = await openingOf(bytes);
    const refusal = refusalOf(tryJson(opening.toString('utf8')));
    const type = answer.headers['content-type'] ?? '';
    if (refusal !== undefined || /[/+]json\b/.test(type)) {
      answer.discard();
      throw refusal === undefined
        ? unreadable(answer, 'is JSON instead of a file')
        : refused(wiring, answer, refusal, headers);
    }
    return {
      ...named(answer),
      type,
      bytes: () => rejoined(opening, bytes),
    };
  });
}

async function* watched(answer: WireAnswer, idle: Alarm): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of answer.bytes(MAX_DOWNLOAD_BYTES)) {
      idle.touch();
      yield chunk;
    }
  } finally {
    idle.stop();
    answer.discard();
  }
}

/**
 * Reads the beginning of the content, which may be an error envelope. If the beginning looks like JSON, reads up to
 * the maximum size of an error; otherwise reads only the first chunk.
 */
async function openingOf(bytes: AsyncIterator<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
    chunks.push(next.value);
    size += next.value.byteLength;
    const head = Buffer.from(chunks[0] ?? []).toString('latin1', 0, 64);
    const blankOrJson = /^\s*([{[]|$)/.test(head);
    if (!blankOrJson || size > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks);
}

async function* rejoined(
  opening: Buffer,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (opening.byteLength > 0) yield opening;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Returns the file name from the Content-Disposition header (RFC 6266); `filename*` in UTF-8 takes precedence over
 * `filename`. Keeps only the last path segment, so that the server cannot choose a folder.
 */
function named(answer: WireAnswer): { readonly name?: string } {
  const disposition = answer.headers['content-disposition'] ?? '';
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const quoted = /filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1');
  const bare = /filename\s*=\s*([^";\s]+)/i.exec(disposition)?.[1];
  const name = ((extended && percentDecoded(extended)) ?? quoted ?? bare)?.split(/[\\/]/).at(-1)?.trim();
  return name === undefined || /^\.{0,2}$/.test(name) ? {} : { name };
}
