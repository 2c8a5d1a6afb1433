/**
 * Renders the Markdown of a source's passage as elements of a card, because cards do not show Markdown's tables and
 * lists.
 */

import {
  type Block,
  type Cell,
  type Fragment,
  type ListItem,
  type Plain,
  passageBlocks,
  shortened,
} from '../../../src/kit/ladder.ts';
import { line, type Run, richText, run, runsOf, type Style } from './runs.ts';
import { tableElement } from './table.ts';
import { words } from './words.ts';

const none: ReadonlyMap<number, number> = new Map();
/** Maximum UTF-16 units of a table in a passage. */
const TABLE_UNITS = 4_000;
const code: Style = { fontType: 'Monospace' };
const quiet: Style = { isSubtle: true };

/** Renders the first `chars` characters of a passage until the JSON has reached `units` (UTF-16 units). */
export function passageElements({ text }: Fragment, chars: number, units: number): readonly Plain[] {
  const blocks = passageBlocks(shortened(text, chars));
  const elements: Plain[] = [];
  let left = units;
  for (const element of blocks.flatMap(elementsOf)) {
    left -= JSON.stringify(element).length + 1;
    if (left < 0) return [...elements, line('…', quiet)];
    elements.push(element);
  }
  return elements;
}

function elementsOf(block: Block): readonly Plain[] {
  if (block.kind === 'table') return tableElement(block, none, TABLE_UNITS);
  const runs = runsOfBlock(block, {});
  return runs.length === 0 ? [] : [richText(runs, { spacing: 'Small' })];
}

function runsOfBlock(block: Block, style: Style): readonly Run[] {
  switch (block.kind) {
    case 'paragraph':
      return runsOf(block.children, none, style);
    case 'heading':
      return runsOf(block.children, none, { ...style, weight: 'Bolder' });
    case 'quote':
      return runsOfBlocks(block.children, { ...style, ...quiet });
    case 'list':
      return joined(block.items.map((item, at) => itemRuns(item, markOf(block, at), style)));
    case 'code':
      return [run(block.text, { ...style, ...code })];
    case 'table':
      return joined([block.head, ...block.rows].map((cells) => rowRuns(cells, style)));
    case 'rule':
      return [run(words.rule, quiet)];
  }
}

function rowRuns(cells: readonly Cell[], style: Style): readonly Run[] {
  const runs = cells.map((cell) => runsOf(cell, none, style));
  return joined(runs, ' · ');
}

const runsOfBlocks = (blocks: readonly Block[], style: Style): readonly Run[] =>
  joined(blocks.map((block) => runsOfBlock(block, style)));

const markOf = ({ start }: Block & { kind: 'list' }, at: number): string =>
  start === undefined ? '•' : `${start + at}.`;

function itemRuns({ done, children }: ListItem, mark: string, style: Style): readonly Run[] {
  const sign = done === undefined ? mark : words.task(done);
  return [run(`${sign} `, style), ...runsOfBlocks(children, style)];
}

/** Joins the text runs with line breaks. Leaves out empty groups. */
function joined(all: readonly (readonly Run[])[], between = '\n'): readonly Run[] {
  return all
    .filter((runs) => runs.length > 0)
    .flatMap((runs, at) => (at === 0 ? runs : [run(between), ...runs]));
}
