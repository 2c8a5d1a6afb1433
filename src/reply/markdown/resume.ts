import type { PlacedBlock } from './blocks.ts';
import { type Element, parseElements } from './parse.ts';
import { nextLine } from './scan.ts';

/** Blocks that grow by whole rows or items: tables and lists. */
type Parted = PlacedBlock & { kind: 'table' | 'list' };
type List = Parted & { kind: 'list' };

/** The end of a growing text, from the offset `from` on (`open-region.ts`). */
interface Region {
  readonly from: number;
  readonly source: string;
}

/**
 * Where the next parse of a long unfinished table or list resumes. Rows and items before the block's last complete
 * line can no longer change. The block begins at the start of the open region.
 */
export interface Resume {
  readonly at: number;
  /**
   * Text that is parsed before the remaining source, so that the remaining source is parsed as it would be in the whole
   * block: a table's head, or a list item.
   */
  readonly head: string;
  readonly decided: number;
  /** The block, reduced to the rows or items that do not change any more. */
  readonly kept: Parted;
}

const isParted = (block: PlacedBlock | undefined): block is Parted =>
  block?.kind === 'table' || block?.kind === 'list';

const countOf = (block: Parted): number => (block.kind === 'table' ? block.rows : block.items).length;

/**
 * Returns a list item with the same mark as the item at `at`, to be parsed before that item. The returned item contains
 * a paragraph, because a list without paragraphs does not show whether blank lines separate its items.
 */
function sampleItem(source: string, at: number): string {
  const marker = /^ *(?:[-*+]|\d{1,9}[.)])/.exec(source.slice(at, at + 16))?.[0] ?? '-';
  return `${marker} x\n`;
}

function joinedList(first: List, rest: List): List {
  const start = first.start === undefined ? {} : { start: first.start };
  const items = first.items.concat(rest.items.slice(1));
  // A list is tight if no blank lines separate its items. A list without paragraphs always counts as tight.
  const spaced = items.some(({ children }) => children.some(({ kind }) => kind === 'paragraph'));
  return { ...rest, ...start, from: first.from, tight: !spaced || (first.tight && rest.tight), items };
}

function joined(first: Parted, rest: PlacedBlock | undefined): PlacedBlock | undefined {
  const { from } = first;
  if (first.kind === 'table' && rest?.kind === 'table')
    return { ...rest, from, rows: first.rows.concat(rest.rows) };
  return first.kind === 'list' && rest?.kind === 'list' ? joinedList(first, rest) : undefined;
}

/**
 * Returns the elements of the whole region, given the elements that were parsed from `head` and the source after it.
 */
export function rejoin(
  resume: Resume,
  [first, ...others]: readonly Element[],
): readonly Element[] | undefined {
  const block = joined(resume.kept, first?.block);
  if (first === undefined || block === undefined) return undefined;
  const parts = first.parts.filter((part) => part >= resume.at);
  return [{ ...first, from: block.from, decided: resume.decided, parts, block }, ...others];
}

/**
 * True if no blank line separates the items up to and including the line at `to`. Later text may still contain a blank
 * line.
 */
function isTightBefore(to: number, { from, source }: Region, before: Resume | undefined): boolean {
  if (before?.kept.kind === 'list' && !before.kept.tight) return false;
  const begin = (before?.at ?? from) - from;
  const items = sampleItem(source, begin) + source.slice(begin, nextLine(source, to - from));
  const [list] = parseElements(items, {}, () => []);
  return list?.block?.kind === 'list' && list.block.tight;
}

/**
 * Returns where the next parse resumes.
 * @param first the region's first element
 * @param before where the current parse resumed
 */
export function findResume(
  first: Element,
  region: Region,
  wholeLines: number,
  before: Resume | undefined,
): Resume | undefined {
  const { block, decided } = first;
  const { from, source } = region;
  if (!isParted(block) || first.from !== from || source.includes(']:')) return undefined;
  const index = first.parts.findLastIndex((part) => part < wholeLines);
  const at = first.parts[index];
  if (at === undefined || at === before?.at) return before;
  const count = index + (before === undefined ? 0 : countOf(before.kept));
  if (count === 0) return undefined;
  if (block.kind === 'table') {
    const head = source.slice(0, decided - from);
    return { at, head, decided, kept: { ...block, rows: block.rows.slice(0, count) } };
  }
  const settled = { ...block, tight: isTightBefore(at, region, before), items: block.items.slice(0, count) };
  return { at, head: sampleItem(source, at - from), decided, kept: settled };
}
