import type { Cell, PlacedBlock } from './blocks.ts';
import type { References } from './grammar.ts';
import { type Element, parseElements, readContent } from './parse.ts';
import { sameData } from './same.ts';

/** Finding the block structure costs this part of reading inline text (measured: 1/15 for prose, 1/50 for code). */
const STRUCTURE_WORK = 1 / 12;

export interface Parsed {
  readonly elements: readonly Element[];
  /** Labels whose definition came, went or changed since the last parse. */
  readonly changedLabels: readonly string[];
  /** In characters read as inline text. */
  readonly work: number;
}

/** References that are looked up in `base` too, and added only here. */
function above(base: References): References {
  return Object.create(base);
}

/** The end of a growing text that further text can still change: read again, but for inline content that stayed. */
export class OpenRegion {
  /** Where it begins in the text; always the start of a line. */
  from = 0;
  /** Where the lines end that decide what its first element is. */
  decided = 0;
  source = '';
  blocks: readonly PlacedBlock[] = [];
  /** What it defines, above what the text before it defines. */
  references: References = {};
  #read = new Map<string, Cell>();

  structureWork(): number {
    return this.source.length * STRUCTURE_WORK;
  }

  restart(from: number, source: string): void {
    this.from = from;
    this.source = source;
  }

  parse(settled: References): Parsed {
    const references = above(settled);
    const read = new Map<string, Cell>();
    let changed: readonly string[] | undefined;
    let work = this.structureWork();
    // The first content is read after the last definition is known.
    const elements = parseElements(this.source, references, (content) => {
      changed ??= this.#changed(references);
      const known = changed.length > 0 && content.includes('[') ? undefined : this.#read.get(content);
      if (known === undefined) work += content.length;
      const cell = known ?? readContent(content, references);
      read.set(content, cell);
      return cell;
    });
    const changedLabels = changed ?? this.#changed(references);
    this.#read = read;
    this.references = references;
    return { elements: this.#keepSame(elements.map((element) => this.#place(element))), changedLabels, work };
  }

  /** The source from the first element up to the next one. */
  sourceOf(elements: readonly Element[], next: Element | undefined): string {
    const begin = (elements[0]?.from ?? this.from) - this.from;
    return this.source.slice(begin, next && next.from - this.from);
  }

  /** Takes over the elements that stay open. */
  keep(elements: readonly Element[]): void {
    const [first] = elements;
    if (first !== undefined) {
      this.source = this.source.slice(first.from - this.from);
      this.from = first.from;
      this.decided = first.decided;
    }
    this.blocks = elements.flatMap(({ block }) => block ?? []);
  }

  #changed(references: References): readonly string[] {
    const labels = new Set([...Object.keys(this.references), ...Object.keys(references)]);
    return [...labels].filter((label) => !sameData(this.references[label], references[label]));
  }

  #keepSame(elements: readonly Element[]): readonly Element[] {
    let at = 0;
    return elements.map((element) => {
      if (element.block === undefined) return element;
      const before = this.blocks[at++];
      return before !== undefined && sameData(before, element.block)
        ? { ...element, block: before }
        : element;
    });
  }

  #place(element: Element): Element {
    const { block, from, to, decided } = element;
    const span = { from: from + this.from, to: to + this.from };
    return { ...span, decided: decided + this.from, ...(block && { block: { ...block, ...span } }) };
  }
}
