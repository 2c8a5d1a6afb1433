/** Renders the part of an answer that one message shows: its text, and the tables that the message's card shows. */

import { type Begin, ENDED, mend, numbersOf, sourcesOf } from '../../../src/kit/ladder.ts';
import { isFinal, type ReplyDocument } from '../../../src/kit.ts';
import { emitterOf } from './emit.ts';
import type { RenderContext } from './render-context.ts';
import { type ShownTable, shownTables, withoutTables } from './table.ts';

/** The part of the answer's text that one message contains. */
export interface Extent {
  readonly begin: Begin;
  /** End of the part; absent if it reaches the end of the text. */
  readonly to?: number;
}

export interface TextPart {
  readonly document: ReplyDocument;
  readonly extent: Extent;
  readonly context: Pick<RenderContext, 'format'>;
}

/**
 * Returns the part's Markdown. If the split between two messages cut through a construct, such as a code fence, opens
 * it again. While the answer grows, also closes what is still open at the end.
 */
export function sourceOf({ document, extent: { begin, to }, context }: TextPart): string {
  const raw = emitterOf(context.format).headOf(document.text, begin) + document.text.slice(begin.at, to);
  return to === undefined && !isFinal(document) ? mend(raw) : raw;
}

/** Returns the part as text for Teams. A numbered mark replaces each table, because the card shows the table. */
export function markedText(part: TextPart): string {
  return written(sourceOf(part), part);
}

/** Returns the part as text for Teams, with tables as code. Used for messages without a card. */
export function textAlone(part: TextPart): string {
  const source = sourceOf(part);
  return written(
    withoutTables(source, emitterOf(part.context.format).hiddenTables(source, startOf(part))),
    part,
  );
}

function written(source: string, part: TextPart): string {
  const numbers = numbersOf(sourcesOf(part.document));
  return emitterOf(part.context.format).markdown(source, startOf(part), { ...ENDED, numbers });
}

/** Returns the tables that `markedText` replaces by marks. Returns none while the last message grows. */
export function tablesOf(part: TextPart): readonly ShownTable[] {
  if (part.extent.to === undefined && !isFinal(part.document)) return [];
  const source = sourceOf(part);
  return shownTables(source, emitterOf(part.context.format).hiddenTables(source, startOf(part)));
}

function startOf({ extent: { begin }, context }: TextPart): Begin {
  const fresh = begin.fresh || begin.fence !== undefined;
  return { at: 0, fresh, ...emitterOf(context.format).tablesBefore(begin) };
}
