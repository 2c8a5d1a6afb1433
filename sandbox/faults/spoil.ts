import type { Clock } from '../clock.ts';
import { withByteOrderMark } from '../dialect/stream.ts';
import type { FaultRule } from './rule.ts';

export type Chunks = AsyncIterable<Uint8Array>;

export interface Surroundings {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function* onlyHeartbeats(chunks: Chunks, rule: FaultRule, around: Surroundings): Chunks {
  let left = rule.events ?? 0;
  for await (const chunk of chunks) {
    if (left === 0) break;
    left -= 1;
    yield chunk;
  }
  const beat = Buffer.from(rule.mode === 'pings' ? 'event: ping\ndata:\n\n' : ': keep-alive\n\n');
  yield* repeated(beat, rule.ms ?? 1_000, around);
}

/** Pause that lets the last bytes of a response leave the machine before the connection is cut, in milliseconds. */
const FLUSH_MS = 20;

export async function* cutAt(chunks: Chunks, rule: FaultRule, around: Surroundings): Chunks {
  let left = rule.bytes ?? 200;
  for await (const chunk of chunks) {
    if (chunk.length >= left) {
      if (left > 0) yield chunk.subarray(0, left);
      // The bytes must leave before the connection is destroyed; otherwise the caller would get less than intended.
      await around.clock.sleep(FLUSH_MS, around.signal);
      throw new Error('The fault F06 cuts the answer.');
    }
    left -= chunk.length;
    yield chunk;
  }
}

export function stopVariants(mode: string, last: Uint8Array): readonly Uint8Array[] {
  if (mode === 'no-end') return [];
  if (mode === 'stop-twice') return [last, last];
  return [last, Buffer.from('data: {"content":"late words","data":{"content":"late words"}}\n\n')];
}

/** Replaces `events` events, beginning with the second one. Each becomes a JSON object that is never closed. */
export async function* malformed(chunks: Chunks, { events = 1 }: FaultRule): Chunks {
  let index = 0;
  for await (const chunk of chunks) {
    const broken = index >= 1 && index <= events;
    yield broken ? Buffer.from('data: {"content": "half an obj\n\n') : chunk;
    index += 1;
  }
}

const STRANGE: Readonly<Record<string, Buffer>> = {
  utf8: Buffer.from([0xff, 0xc3, 0x28]),
  nul: Buffer.from([0x00]),
  surrogate: Buffer.from('\\ud83d', 'latin1'),
};

/**
 * Adds a byte-order mark, changes the line ends, or inserts invalid bytes before the text of the second event. The mode
 * decides which.
 */
export async function* strangeBytes(chunks: Chunks, { mode }: FaultRule): Chunks {
  if (mode === 'bom') return yield* withByteOrderMark(chunks);
  let index = 0;
  for await (const chunk of chunks) {
    index += 1;
    if (mode === 'cr' || mode === 'crlf') yield lineEnds(chunk, mode === 'cr' ? '\r' : '\r\n');
    else yield index === 2 ? insertInText(chunk, STRANGE[mode] ?? Buffer.alloc(0)) : chunk;
  }
}

const lineEnds = (chunk: Uint8Array, end: string): Uint8Array =>
  Buffer.from(Buffer.from(chunk).toString('utf8').replaceAll('\n', end));

function insertInText(chunk: Uint8Array, bytes: Uint8Array): Uint8Array {
  const member = Buffer.from(chunk).indexOf('"content":"');
  const at = member < 0 ? chunk.length : member + '"content":"'.length;
  return Buffer.concat([chunk.subarray(0, at), bytes, chunk.subarray(at)]);
}

/**
 * Sends one additional event before the answer, in pieces of 1 MiB. The event has 64 MiB, or the size in `bytes`. In
 * mode `endless`, sends the first two events of the answer instead, and repeats the second one until the caller
 * disconnects.
 */
export async function* tooMuch(chunks: Chunks, rule: FaultRule, around: Surroundings): Chunks {
  if (rule.mode === 'endless') return yield* endless(chunks, rule, around);
  yield Buffer.from('event: stream\ndata: {"content":"');
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let left = rule.bytes ?? 64 * 1024 * 1024; left > 0 && !around.signal.aborted; left -= piece.length) {
    yield left < piece.length ? piece.subarray(0, left) : piece;
  }
  yield Buffer.from('"}\n\n');
  yield* chunks;
}

async function* endless(chunks: Chunks, rule: FaultRule, around: Surroundings): Chunks {
  let last: Uint8Array = Buffer.from('data: {"content":"on and on "}\n\n');
  let index = 0;
  for await (const chunk of chunks) {
    index += 1;
    if (index > 2) break;
    last = chunk;
    yield chunk;
  }
  yield* repeated(last, rule.ms ?? 1, around);
}

/** Repeats a chunk until the caller disconnects. */
async function* repeated(chunk: Uint8Array, everyMs: number, { clock, signal }: Surroundings): Chunks {
  while (!signal.aborted) {
    yield chunk;
    await clock.sleep(everyMs, signal);
  }
}
