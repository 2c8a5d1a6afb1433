import { commonLength, type Mode } from './reading.ts';
import type { ChunkText } from './text.ts';

/** Below this a shared beginning may be chance. */
const SHARED = 8;

/**
 * What the text of an end event means for what was collected: the final text, or its last piece
 * (platform contract DEC-12).
 */
export function endRule(found: ChunkText, collected: string, mode: Mode): 'final' | 'append' {
  if (found.name === 'full_output' || mode === 'replace') return 'final';
  const { text } = found;
  if (text.length * 2 >= collected.length) return 'final';
  // A short text that merely begins alike is a last piece; a cut final text shares more than chance would.
  const shared = commonLength(text, collected);
  return shared >= SHARED && shared === text.length && text.length * 4 >= collected.length
    ? 'final'
    : 'append';
}

/**
 * The same for a chunk that carries a finish reason: it is a chunk like any other (platform contract EXP-15), unless
 * it repeats the whole of a text too long to be repeated by chance.
 */
export function lastChunkRule(found: ChunkText, collected: string): 'final' | 'chunk' {
  if (found.name === 'full_output') return 'final';
  return collected.length >= 2 * SHARED && found.text.startsWith(collected) ? 'final' : 'chunk';
}
