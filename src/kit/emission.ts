/** Writing an answer in a channel's Markdown, so that what grows only ever grows and nothing in it comes to life. */

export type { Begin, Range, Room } from '../render/emission/cut.ts';
export type { Dialect } from '../render/emission/dialect.ts';
export {
  type Emission,
  type Emitted,
  ENDED,
  GROWING,
  type Hidden,
  type How,
  START,
} from '../render/emission/emission.ts';
export type { HiddenTable } from '../render/emission/emit.ts';
export { createEmitter, type Emitter } from '../render/emission/emitter.ts';
export {
  asWords,
  bracketless,
  carried,
  type Followed,
  followed,
  linkTo,
  shortened,
} from '../render/emission/escape.ts';
export { unquoted } from '../render/emission/hidden-table.ts';
export { MAX_HOLD_CHARS } from '../render/emission/scan.ts';
export { withTables } from '../render/emission/table-lines.ts';
export { tableAsCode } from '../render/table-as-code.ts';
