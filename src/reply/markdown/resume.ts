import type { PlacedBlock } from './blocks.ts';
import { type Element, parseElements } from './parse.ts';

/** Blocks that grow by whole rows or items: tables and lists. */
type Parted = PlacedBlock & { kind: 'table' | 'list' };
type List = Parted & { kind: 'list' };

/**
 * Where the next parse of a long unfinished table or list resumes. Rows and items before the block's last complete
 * line can no longer change. The block begins at the start of the open region (`open-region.ts`), and offsets count
 * from there.
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

function lineEnd(source: string, from: number): number {
  const found = /\r\n?|\n/g;
  found.lastIndex = from;
  return found.exec(source) === null ? source.length : found.lastIndex;
}

/**
 * Returns a list item with the same mark as the item at `at`, to be parsed before that item. The returned item contains
 * a paragraph, because a list without paragraphs does not show whether blank lines separate its items.
 */
function sampleItem(source: string, at: number): string {
  const marker = /^ *(?:[-*+]|\d{1,9}[.)])/.exec(source.slice(at, at + 16))?.[0] ?? '-';
  return `${marker} x\n`;
}

function joinedList(kept: List, rest: List): List {
  const start = kept.start === undefined ? {} : { start: kept.start };
  const items = kept.items.concat(rest.items.slice(1));
  // A list is tight if no blank lines separate its items. A list without paragraphs always counts as tight.
  const spaced = items.some(({ children }) => children.some(({ kind }) => kind === 'paragraph'));
  return { ...rest, ...start, tight: !spaced || (kept.tight && rest.tight), items };
}

function joined(kept: Parted, rest: PlacedBlock | undefined): PlacedBlock | undefined {
  if (kept.kind === 'table' && rest?.kind === 'table') return { ...rest, rows: kept.rows.concat(rest.rows) };
  return kept.kind === 'list' && rest?.kind === 'list' ? joinedList(kept, rest) : undefined;
}

/**
 * Returns the elements of the whole region, given the elements that were parsed from `head` and the source after it.
 */
export function rejoin(resume: Resume, elements: readonly Element[]): readonly Element[] | undefined {
  const by = resume.at - resume.head.length;
  const [first, ...others] = elements.map((element) => ({
    ...element,
    from: element.from + by,
    to: element.to + by,
    decided: element.decided + by,
    parts: element.parts.map((part) => part + by).filter((part) => part >= resume.at),
  }));
  const block = joined(resume.kept, first?.block);
  return first && block && [{ ...first, from: 0, decided: resume.decided, block }, ...others];
}

/**
 * True if no blank line separates the items up to and including the line at `to`. Later text may still contain a blank
 * line.
 */
function isTightBefore(to: number, source: string, before: Resume | undefined): boolean {
  if (before?.kept.kind === 'list' && !before.kept.tight) return false;
  const from = before?.at ?? 0;
  const [list] = parseElements(
    sampleItem(source, from) + source.slice(from, lineEnd(source, to)),
    {},
    () => [],
  );
  return list?.block?.kind === 'list' && list.block.tight;
}

/**
 * Returns where the next parse resumes.
 * @param first the region's first element, with offsets from the region's beginning
 * @param before where the current parse resumed
 */
export function findResume(
  first: Element,
  source: string,
  wholeLines: number,
  before: Resume | undefined,
): Resume | undefined {
  const { block, decided } = first;
  if (!isParted(block) || first.from !== 0 || source.includes(']:')) return undefined;
  const index = first.parts.findLastIndex((part) => part < wholeLines);
  const at = first.parts[index];
  if (at === undefined || at === before?.at) return before;
  const count = index + (before === undefined ? 0 : countOf(before.kept));
  if (count === 0) return undefined;
  if (block.kind === 'table') {
    return {
      at,
      head: source.slice(0, decided),
      decided,
      kept: { ...block, rows: block.rows.slice(0, count) },
    };
  }
  const kept = { ...block, tight: isTightBefore(at, source, before), items: block.items.slice(0, count) };
  return { at, head: sampleItem(source, at), decided, kept };
}
