/**
 * Writes an answer in a channel's Markdown. While the answer grows, its output is only appended to. The answer cannot
 * create mentions or markup of its own.
 */

export {
  type Dialect,
  type Emitted,
  ENDED,
  GROWING,
  type Hidden,
  type How,
  START,
  type StreamState,
} from '../reply/markdown/emission/emission.ts';
export type { HiddenTable } from '../reply/markdown/emission/emit.ts';
export {
  type Begin,
  createEmitter,
  type Emitter,
  type Range,
  type Room,
} from '../reply/markdown/emission/emitter.ts';
export {
  asWords,
  bracketless,
  carried,
  characterBefore,
  cutBefore,
  type Followed,
  followed,
  linkTo,
  shortened,
} from '../reply/markdown/emission/escape.ts';
export { unquoted } from '../reply/markdown/emission/hidden-table.ts';
export { withTables } from '../reply/markdown/emission/table-lines.ts';
export { openEmphasisFrom } from '../reply/markdown/emphasis.ts';
export { tableAsCode } from '../reply/markdown/plain.ts';
export { MAX_HOLD_CHARS } from '../reply/markdown/scan.ts';
