/** One message's part of an answer: its text, and the tables that its text hides. */

import { type Begin, ENDED } from '../../../src/kit/emission.ts';
import { numbersOf, sourcesOf } from '../../../src/kit/sources.ts';
import { isFinal, mend, type ReplyDocument } from '../../../src/kit.ts';
import { emitterOf, type TextFormat } from './emit.ts';
import { type ShownTable, shownTables, withoutTables } from './table.ts';

/** Which of the document's text a message holds. */
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

/** The source of the part, with what it opens again before it. What half arrived is closed where more is coming. */
export function sourceOf({ document, extent: { begin, to }, format }: TextPart): string {
  const raw = emitterOf(format).headOf(document.text, begin) + document.text.slice(begin.at, to);
  return to === undefined && !isFinal(document) ? mend(raw) : raw;
}

/** The text as the channel gets it, with marks in the place of tables. */
export function markedText(part: TextPart): string {
  return written(sourceOf(part), part);
}

/** The text as the channel gets it, with tables as code: for messages that come without a card. */
export function textAlone(part: TextPart): string {
  const source = sourceOf(part);
  return written(withoutTables(source, emitterOf(part.format).hiddenTables(source, startOf(part))), part);
}

function written(source: string, part: TextPart): string {
  const numbers = numbersOf(sourcesOf(part.document));
  return emitterOf(part.format).markdown(source, startOf(part), { ...ENDED, numbers });
}

/** The tables that the marks stand for; one of which more is coming is not shown yet. */
export function tablesOf(part: TextPart): readonly ShownTable[] {
  if (part.extent.to === undefined && !isFinal(part.document)) return [];
  const source = sourceOf(part);
  return shownTables(source, emitterOf(part.format).hiddenTables(source, startOf(part)));
}

function startOf({ extent: { begin }, format }: TextPart): Begin {
  const fresh = begin.fresh || begin.fence !== undefined;
  return { at: 0, fresh, ...emitterOf(format).tablesBefore(begin) };
}
