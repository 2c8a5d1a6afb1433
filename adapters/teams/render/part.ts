/** Renders one message's part of an answer: its text, and the tables that the card shows instead. */

import { type Begin, ENDED } from '../../../src/kit/emission.ts';
import { numbersOf, sourcesOf } from '../../../src/kit/sources.ts';
import { isFinal, mend, type ReplyDocument } from '../../../src/kit.ts';
import { emitterOf, type TextFormat } from './emit.ts';
import { type ShownTable, shownTables, withoutTables } from './table.ts';

/** The part of the document's text that a message contains. */
export interface Extent {
  readonly begin: Begin;
  /** Absent: to the end. */
  readonly to?: number;
}

export interface TextPart {
  readonly document: ReplyDocument;
  readonly extent: Extent;
  readonly format: TextFormat;
}

/**
 * Returns the part's Markdown. Repeats the openings of constructs that began in an earlier message, and closes incomplete
 * constructs while the answer grows.
 */
export function sourceOf({ document, extent: { begin, to }, format }: TextPart): string {
  const raw = emitterOf(format).headOf(document.text, begin) + document.text.slice(begin.at, to);
  return to === undefined && !isFinal(document) ? mend(raw) : raw;
}

/** Returns the part as Teams text, with marks in place of tables. */
export function markedText(part: TextPart): string {
  return written(sourceOf(part), part);
}

/** Returns the part as Teams text with tables as code, for messages without a card. */
export function textAlone(part: TextPart): string {
  const source = sourceOf(part);
  return written(withoutTables(source, emitterOf(part.format).hiddenTables(source, startOf(part))), part);
}

function written(source: string, part: TextPart): string {
  const numbers = numbersOf(sourcesOf(part.document));
  return emitterOf(part.format).markdown(source, startOf(part), { ...ENDED, numbers });
}

/** Returns the tables behind the marks; none while the last message grows. */
export function tablesOf(part: TextPart): readonly ShownTable[] {
  if (part.extent.to === undefined && !isFinal(part.document)) return [];
  const source = sourceOf(part);
  return shownTables(source, emitterOf(part.format).hiddenTables(source, startOf(part)));
}

function startOf({ extent: { begin }, format }: TextPart): Begin {
  const fresh = begin.fresh || begin.fence !== undefined;
  return { at: 0, fresh, ...emitterOf(format).tablesBefore(begin) };
}
