/** The text of one message as blocks. */

import type { KnownBlock, MarkdownBlock } from '@slack/types';
import { tableAsCode, withTables } from '../../../src/kit/emission.ts';
import { mend, type PlacedBlock, parse } from '../../../src/kit.ts';
import { type Begin, headOf, markdown, START } from './emit.ts';
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
 */
export function bodyBlocks(body: Body, native: boolean): KnownBlock[] {
  const raw = rawOf(body);
  const blocks: KnownBlock[] = [];
  const fresh = body.begin.fresh || body.begin.fence !== undefined;
  let text = '';
  let from = 0;
  let free = native;
  for (const table of tablesIn(raw)) {
    const block = free ? nativeTable(table, body.numbers) : undefined;
    text += raw.slice(from, table.from);
    from = table.to;
    if (block === undefined) text += tableAsCode(table);
    else {
      free = false;
      blocks.push(...markdownBlock(text, body, fresh), block);
      text = '';
    }
  }
  const all = [...blocks, ...markdownBlock(text + raw.slice(from), body, fresh || blocks.length > 0)];
  return all.map((block) =>
    block.type === 'markdown' ? { ...block, text: withTables(block.text, 0) } : block,
  );
}

function tablesIn(raw: string): readonly PlacedTable[] {
  if (!raw.includes('|') || !mayBeTable.test(raw)) return [];
  return parse(raw).filter((block): block is PlacedTable => block.kind === 'table');
}

function markdownBlock(raw: string, { numbers }: Body, fresh: boolean): MarkdownBlock[] {
  const text = markdown(raw, { ...START, fresh }, { ended: true, numbers });
  return text.trim() === '' ? [] : [{ type: 'markdown', text }];
}
