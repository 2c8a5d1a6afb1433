/** The text of one message as blocks. */

import type { KnownBlock, MarkdownBlock } from '@slack/types';
import { tableAsCode, withTables } from '../../../src/kit/emission.ts';
import { mend, type PlacedBlock } from '../../../src/kit.ts';
import { type Begin, headOf } from './emit.ts';
import { createReading, type Reading } from './reading.ts';
import { nativeTable, type Table } from './table.ts';

export interface Body {
  readonly source: string;
  readonly begin: Begin;
  readonly to: number;
  /** Whether more text is coming, so that what half arrived is closed. */
  readonly growing: boolean;
  readonly numbers: ReadonlyMap<number, number>;
}

type PlacedTable = PlacedBlock & Table;

const mayBeTable = /^[ \t]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\||$)/m;

/** The source of one message, with what it opens again before it. */
export function rawOf({ source, begin, to, growing }: Body): string {
  const raw = headOf(source, begin) + source.slice(begin.at, to);
  return growing ? mend(raw) : raw;
}

/**
 * A message may have one table, so further ones, and one that is too large, are shown as code.
 * @param native whether one may be a table of Slack's own
 * @param reading what is known of the message from its last edit
 */
export function bodyBlocks(body: Body, native: boolean, reading: Reading = createReading()): KnownBlock[] {
  const raw = rawOf(body);
  const blocks: KnownBlock[] = [];
  const fresh = body.begin.fresh || body.begin.fence !== undefined;
  let stretches = 0;
  let text = '';
  let from = 0;
  let free = native;
  const written = (source: string, begins: boolean): MarkdownBlock[] =>
    markdownBlock(reading.markdown(stretches++, source, { fresh: begins, numbers: body.numbers }));
  for (const table of tablesIn(raw, reading)) {
    const block = free ? nativeTable(table, body.numbers) : undefined;
    text += raw.slice(from, table.from);
    from = table.to;
    if (block === undefined) text += tableAsCode(table);
    else {
      free = false;
      blocks.push(...written(text, fresh), block);
      text = '';
    }
  }
  const all = [...blocks, ...written(text + raw.slice(from), fresh || blocks.length > 0)];
  return all.map((block) =>
    block.type === 'markdown' ? { ...block, text: withTables(block.text, 0) } : block,
  );
}

function tablesIn(raw: string, reading: Reading): readonly PlacedTable[] {
  if (!raw.includes('|') || !mayBeTable.test(raw)) return [];
  return reading.blocks(raw).filter((block): block is PlacedTable => block.kind === 'table');
}

function markdownBlock(text: string): MarkdownBlock[] {
  return text.trim() === '' ? [] : [{ type: 'markdown', text }];
}
