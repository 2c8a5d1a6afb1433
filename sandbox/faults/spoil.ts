import type { Clock } from '../clock.ts';
import { Cut } from '../http/reply.ts';
import type { FaultRule } from './names.ts';

type Chunks = AsyncIterable<Uint8Array>;

interface Surroundings {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How a fault changes the bytes of a stream; undefined when it leaves them alone. Each chunk is one event. */
export function spoilStream(rule: FaultRule, around: Surroundings): ((chunks: Chunks) => Chunks) | undefined {
  switch (rule.fault) {
    case 'F04':
      return (chunks) => onlyHeartbeats(chunks, rule, around);
    case 'F05':
      return (chunks) => singleBytes(chunks, rule.ms ?? 50, around);
    case 'F06':
      return (chunks) => cutAt(chunks, rule.bytes ?? 200, around);
    case 'F07':
      return (chunks) =>
        changeLast(chunks, rule.mode === 'no-stop' ? () => [] : (last) => [withoutBlank(last)]);
    case 'F08':
      return (chunks) => changeLast(chunks, (last) => stopVariants(rule.mode, last));
    case 'F09':
      return (chunks) => malformed(chunks, rule.events ?? 1);
    case 'F10':
      return (chunks) => strangeBytes(chunks, rule.mode);
    case 'F11':
      return (chunks) => tooMuch(chunks, rule, around);
    default:
      return undefined;
  }
}

async function* onlyHeartbeats(chunks: Chunks, rule: FaultRule, around: Surroundings): Chunks {
  let left = rule.events ?? 0;
  for await (const chunk of chunks) {
    if (left === 0) break;
    left -= 1;
    yield chunk;
  }
  const beat = Buffer.from(rule.mode === 'pings' ? 'event: ping\ndata:\n\n' : ': keep-alive\n\n');
  while (!around.signal.aborted) {
    yield beat;
    await around.clock.sleep(rule.ms ?? 1_000, around.signal);
  }
}

async function* singleBytes(chunks: Chunks, everyMs: number, around: Surroundings): Chunks {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length && !around.signal.aborted; at += 1) {
      yield chunk.subarray(at, at + 1);
      await around.clock.sleep(everyMs, around.signal);
    }
  }
}

/** Milliseconds for the bytes of a cut answer to leave the machine. */
const FLUSH_MS = 20;

async function* cutAt(chunks: Chunks, offset: number, around: Surroundings): Chunks {
  let left = offset;
  for await (const chunk of chunks) {
    if (chunk.length >= left) {
      if (left > 0) yield chunk.subarray(0, left);
      // The bytes must leave before the connection is destroyed, or the cut would fall earlier than asked.
      await around.clock.sleep(FLUSH_MS, around.signal);
      throw new Cut();
    }
    left -= chunk.length;
    yield chunk;
  }
}

async function* changeLast(chunks: Chunks, change: (last: Uint8Array) => readonly Uint8Array[]): Chunks {
  let held: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (held !== undefined) yield* change(held);
}

const withoutBlank = (chunk: Uint8Array): Uint8Array =>
  Buffer.from(
    Buffer.from(chunk)
      .toString('utf8')
      .replace(/[\r\n]+$/, ''),
  );

function stopVariants(mode: string, last: Uint8Array): readonly Uint8Array[] {
  if (mode === 'no-end') return [];
  if (mode === 'stop-twice') return [last, last];
  return [last, Buffer.from('data: {"content":"late words","data":{"content":"late words"}}\n\n')];
}

/** Breaks `events` events after the first one: an object that never closes. */
async function* malformed(chunks: Chunks, events: number): Chunks {
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

/** Puts the strange bytes behind the first letter of text in the second event, or rewrites the line ends. */
async function* strangeBytes(chunks: Chunks, mode: string): Chunks {
  let index = 0;
  for await (const chunk of chunks) {
    index += 1;
    if (mode === 'cr' || mode === 'crlf') yield lineEnds(chunk, mode === 'cr' ? '\r' : '\r\n');
    else if (mode === 'bom')
      yield index === 1 ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), chunk]) : chunk;
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

/** 64 MiB in one event, in pieces of 1 MiB; or the second event again and again until the caller leaves. */
async function* tooMuch(chunks: Chunks, rule: FaultRule, around: Surroundings): Chunks {
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
  let repeated: Uint8Array = Buffer.from('data: {"content":"on and on "}\n\n');
  let index = 0;
  for await (const chunk of chunks) {
    index += 1;
    if (index > 2) break;
    repeated = chunk;
    yield chunk;
  }
  while (!around.signal.aborted) {
    yield repeated;
    await around.clock.sleep(rule.ms ?? 1, around.signal);
  }
}
