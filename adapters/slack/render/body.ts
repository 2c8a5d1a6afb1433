/** The text of one message as blocks. */

import type { KnownBlock, MarkdownBlock } from '@slack/types';
import { tableAsCode, withTables } from '../../../src/kit/emission.ts';
import {
  type Definitions,
  definitionsIn,
  inlined,
  isFinal,
  mend,
  type PlacedBlock,
  type ReplyDocument,
} from '../../../src/kit.ts';
import { type Begin, headOf } from './emit.ts';
import { createReading, type Reading } from './reading.ts';
import { nativeTable, type Table } from './table.ts';

export interface Body {
  readonly source: string;
  readonly begin: Begin;
  readonly to: number;
  /** True while more text is expected, so that incomplete Markdown is closed. */
  readonly growing: boolean;
  readonly numbers: ReadonlyMap<number, number>;
  /** Targets of the reference links; absent: reference links are shown as written. */
  readonly definitions?: Definitions;
}

type PlacedTable = PlacedBlock & Table;

const mayBeTable = /^[ \t]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\||$)/m;

/** The source of one message, with what it opens again before it. */
export function rawOf({ source, begin, to, growing }: Body): string {
  const raw = headOf(source, begin) + source.slice(begin.at, to);
  return growing ? mend(raw) : raw;
}

const known = new WeakMap<ReplyDocument, Definitions>();

/**
 * Targets of an answer's reference links. Empty while the answer grows, because definitions usually come last. Numbers
 * that mark sources are not links.
 */
export function definitionsOf(document: ReplyDocument): Definitions {
  const found = known.get(document) ?? readDefinitions(document);
  known.set(document, found);
  return found;
}

function readDefinitions(document: ReplyDocument): Definitions {
  if (!isFinal(document)) return new Map();
  const marks = new Set(document.sources.map(({ mark }) => String(mark)));
  return new Map([...definitionsIn(document.text)].filter(([label]) => !marks.has(label)));
}

/**
 * A message may have one table, so further ones, and one that is too large, are shown as code.
 * @param native whether one may be a table of Slack's own
 * @param reading what is known of the message from its last edit
 */
export function bodyBlocks(body: Body, native: boolean, reading: Reading = createReading()): KnownBlock[] {
  // Slack's Markdown knows inline links only.
  const raw = inlined(rawOf(body), body.definitions ?? new Map());
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
