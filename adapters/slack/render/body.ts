/** The text of one message as blocks. */

import type { KnownBlock, MarkdownBlock } from '@slack/types';
import { type Block, mend, type PlacedBlock, parse } from '../../../src/kit.ts';
import { type Begin, headOf } from './cut.ts';
import { markdown, START } from './emit.ts';
import { nativeTable } from './table.ts';

export interface Body {
  readonly source: string;
  readonly begin: Begin;
  readonly to: number;
  /** Whether more text is coming, so that what half arrived is closed. */
  readonly growing: boolean;
  readonly numbers: ReadonlyMap<number, number>;
}

type Placed = PlacedBlock & Block & { kind: 'table' };

const mayBeTable = /\|[ \t]*:?-|-:?[ \t]*\|/;

/** The source of one message, with what it opens again before it. */
export function rawOf({ source, begin, to, growing }: Body): string {
  const raw = headOf(source, begin) + source.slice(begin.at, to);
  return growing ? mend(raw) : raw;
}

/** Without Slack's own tables. */
export function plainBody(body: Body): MarkdownBlock[] {
  return markdownBlock(rawOf(body), body, body.begin.fresh || body.begin.fence !== undefined);
}

/** A message takes one table of Slack's own; further ones stay Markdown. */
export function bodyBlocks(body: Body): KnownBlock[] {
  const raw = rawOf(body);
  const found = mayBeTable.test(raw) ? firstTable(raw, body) : undefined;
  if (found === undefined) return plainBody(body);
  return [
    ...markdownBlock(raw.slice(0, found.from), body, body.begin.fresh),
    found.block,
    ...markdownBlock(raw.slice(found.to), body, true),
  ];
}

function firstTable(raw: string, { numbers }: Body) {
  const tables = parse(raw).filter((block): block is Placed => block.kind === 'table');
  for (const table of tables) {
    const block = nativeTable(table, numbers);
    if (block !== undefined) return { block, from: table.from, to: table.to };
  }
  return undefined;
}

function markdownBlock(raw: string, { numbers }: Body, fresh: boolean): MarkdownBlock[] {
  const text = markdown(raw, { ...START, fresh }, { ended: true, numbers });
  return text.trim() === '' ? [] : [{ type: 'markdown', text }];
}
