import { asList, type Fields, isFields, one } from '../shapes.ts';
import { commonLength, type Mode } from './reading.ts';
import { type ChunkText, placesOf } from './text.ts';

/** The kind of an event in a stream (platform contract DEC-6, DEC-8, ERR-7). */
export type Kind = 'stream' | 'tool' | 'end' | 'error' | 'beat' | 'unknown';

const ALIASES: Readonly<Record<Exclude<Kind, 'unknown'>, readonly string[]>> = {
  stream: ['stream', 'message', 'answer', 'chunk', 'delta', 'text', 'content'],
  tool: ['tool_result', 'tool', 'tools', 'reference', 'references'],
  end: ['end', 'done', 'finish', 'finished', 'complete', 'stop', 'close'],
  error: ['error', 'fail'],
  beat: ['ping', 'heartbeat', 'keepalive'],
};
const KINDS = new Map<string, Kind>();
for (const kind of ['stream', 'tool', 'end', 'error', 'beat'] as const) {
  for (const alias of ALIASES[kind]) KINDS.set(alias, kind);
}
const MEMBERS = ['event', 'type', 'kind', 'category'];

/** The kind of an event. `named` is false if the kind was inferred from the fields of the chunk. */
interface Classification {
  readonly kind: Kind;
  readonly named: boolean;
}

export function kindOf(event: string | undefined, chunk: unknown, places = placesOf(chunk)): Classification {
  if (event !== undefined && event !== '' && event !== 'message') {
    return { kind: KINDS.get(event.toLowerCase()) ?? 'unknown', named: true };
  }
  if (!isFields(chunk)) return { kind: 'stream', named: false };
  let unknown = false;
  for (const member of MEMBERS) {
    const value = (places[0] ?? chunk)[member];
    if (typeof value !== 'string' || value === '') continue;
    const kind = KINDS.get(value.toLowerCase());
    if (kind !== undefined) return { kind, named: true };
    unknown ||= member === 'event';
  }
  const inferred = infer(chunk, places);
  return unknown && inferred === 'stream'
    ? { kind: 'unknown', named: true }
    : { kind: inferred, named: false };
}

function infer(chunk: Fields, places: readonly Fields[]): Kind {
  if (places.some((fields) => 'tool_result' in fields && fields.tool_result !== null)) return 'tool';
  return isLast(chunk, places) ? 'end' : 'stream';
}

/** True if the chunk marks itself as the last one by a finish reason or `done` (platform contract DEC-8, EXP-13). */
export function isLast(chunk: unknown, places = placesOf(chunk)): boolean {
  return finishReason(chunk, places) !== undefined || places.some(({ done }) => done === true);
}

/** Returns the finish reason of a chunk; undefined while the answer goes on (platform contract EXP-13). */
export function finishReason(chunk: unknown, places = placesOf(chunk)): string | undefined {
  if (!isFields(chunk)) return undefined;
  const choice = one(asList((places[0] ?? chunk).choices));
  const found = [...places, ...(choice === undefined ? [] : [choice])].find(
    ({ finish_reason: reason }) => typeof reason === 'string' && reason !== '',
  );
  return found === undefined ? undefined : String(found.finish_reason);
}

/** If two texts begin with at least this number of equal characters, this is no coincidence. */
const SHARED = 8;

/**
 * Decides whether the text of an end event is the whole final text or only the last piece of it (platform contract
 * DEC-12).
 */
export function endRule(found: ChunkText, collected: string, mode: Mode): 'final' | 'append' {
  if (found.name === 'full_output' || mode === 'replace') return 'final';
  const { text } = found;
  if (text.length * 2 >= collected.length) return 'final';
  // A short text that merely starts like the answer is a last piece. A final text that was shortened shares more
  // characters with the answer.
  const shared = commonLength(text, collected);
  return shared >= SHARED && shared === text.length && text.length * 4 >= collected.length
    ? 'final'
    : 'append';
}

/**
 * Decides whether a chunk with a finish reason is the final text or an ordinary chunk (platform contract EXP-15). It
 * is the final text if it starts with the whole collected text and that text is too long for a coincidence.
 */
export function lastChunkRule(found: ChunkText, collected: string): 'final' | 'chunk' {
  if (found.name === 'full_output') return 'final';
  return collected.length >= 2 * SHARED && found.text.startsWith(collected) ? 'final' : 'chunk';
}
