import type { Cell, PlacedBlock } from './blocks.ts';
import { lastLineStart, type References } from './grammar.ts';
import { type Element, parseElements, readContent } from './parse.ts';
import { findResume, type Resume, rejoin } from './resume.ts';

/**
 * Measured cost of finding the block structure, per character. The unit is the cost of one character that is read as
 * inline text.
 */
const STRUCTURE_WORK_PER_CHAR = 1 / 12;
/**
 * Measured cost of finding the block structure, per paragraph, heading or cell. The unit is the cost of one character
 * that is read as inline text.
 */
const STRUCTURE_WORK_PER_CONTENT = 20;

interface Parsed {
  readonly elements: readonly Element[];
  /** Labels whose link definition was added, removed or changed since the last parse. */
  readonly changedLabels: readonly string[];
  /** Cost of the parse. The unit is the cost of one character that is read as inline text. */
  readonly work: number;
}

/** Creates references that inherit from `base`, so that additions do not change `base`. */
function above(base: References): References {
  return Object.create(base);
}

function allLabels(references: References): string[] {
  const labels: string[] = [];
  for (const label in references) labels.push(label);
  return labels;
}

/**
 * The end of a growing text, which further text can still change. It is parsed again after each addition, except for
 * inline content that has not changed.
 */
export class OpenRegion {
  /** Offset in the text at which the region begins; always the start of a line. */
  from = 0;
  /** Offset after the lines that decide the kind of the region's first element. */
  decided = 0;
  source = '';
  blocks: readonly PlacedBlock[] = [];
  /** Link definitions in the region, in addition to those of the text before it. */
  references: References = {};
  #read = new Map<string, Cell>();
  #resume: Resume | undefined;
  /** Cost per character of finding the block structure, measured in the last parse. */
  #density = STRUCTURE_WORK_PER_CHAR;

  /** Minimum cost of the next parse, estimated from the last parse. */
  structureWork(): number {
    const at = this.#resume?.at ?? this.from;
    return (this.from + this.source.length - at) * this.#density;
  }

  /** @param before blocks that may change again; blocks that stay equal remain the same objects */
  restart(from: number, source: string, before: readonly PlacedBlock[]): void {
    this.from = from;
    this.source = source;
    this.blocks = before.concat(this.blocks);
    this.#resume = undefined;
  }

  parse(settled: References): Parsed {
    const resume = this.#resume;
    const head = resume?.head ?? '';
    const at = resume?.at ?? this.from;
    const source = head + this.source.slice(at - this.from);
    const references = above(settled);
    const read = new Map<string, Cell>();
    let changed: readonly string[] | undefined;
    let contents = 0;
    let work = 0;
    // The parser calls this function for the first time after it has read all definitions.
    const readCached = (content: string): Cell => {
      changed ??= this.#changed(references);
      const known = changed.length > 0 && content.includes('[') ? undefined : this.#read.get(content);
      contents++;
      if (known === undefined) work += content.length;
      const cell = known ?? readContent(content, references);
      read.set(content, cell);
      return cell;
    };
    const again = parseElements(source, references, readCached, at - head.length);
    const changedLabels = changed ?? this.#changed(references);
    const elements = this.#whole(again, changedLabels);
    if (elements === undefined) return this.parse(settled);
    const structure = source.length * STRUCTURE_WORK_PER_CHAR + contents * STRUCTURE_WORK_PER_CONTENT;
    this.#density = structure / Math.max(source.length, 1);
    this.#read = read;
    this.references = references;
    return { elements: this.#keepSame(elements), changedLabels, work: work + structure };
  }

  /** Returns all elements of the region. Returns undefined if the region must be parsed from its beginning. */
  #whole(again: readonly Element[], changedLabels: readonly string[]): readonly Element[] | undefined {
    const resume = this.#resume;
    if (resume === undefined) return again;
    const elements = changedLabels.length > 0 ? undefined : rejoin(resume, again);
    if (elements === undefined) this.#resume = undefined;
    return elements;
  }

  /** Returns the Markdown from the first element up to `next`. */
  sourceOf(elements: readonly Element[], next: Element | undefined): string {
    const begin = (elements[0]?.from ?? this.from) - this.from;
    return this.source.slice(begin, next && next.from - this.from);
  }

  /** Keeps these elements in the region, because they may still change. */
  keep(elements: readonly Element[]): void {
    const [first] = elements;
    this.blocks = elements.flatMap(({ block }) => block ?? []);
    if (first === undefined) return;
    if (first.from > this.from) this.#resume = undefined;
    this.source = this.source.slice(first.from - this.from);
    this.from = first.from;
    this.decided = first.decided;
    const wholeLines = this.from + lastLineStart(this.source);
    this.#resume = findResume(first, this, wholeLines, this.#resume);
  }

  #changed(references: References): readonly string[] {
    // The references inherit the definitions of the text before the region. If that text was rewritten, they inherit
    // from another object, which may lack earlier definitions. The inherited labels are then compared too.
    const isSame = Object.getPrototypeOf(this.references) === Object.getPrototypeOf(references);
    const labelsOf = isSame ? Object.keys : allLabels;
    const labels = new Set([...labelsOf(this.references), ...labelsOf(references)]);
    return [...labels].filter((label) => !sameData(this.references[label], references[label]));
  }

  #keepSame(elements: readonly Element[]): readonly Element[] {
    let at = 0;
    return elements.map((element) => {
      if (element.block === undefined) return element;
      const before = this.blocks[at++];
      const same = before?.to === element.to && sameData(before, element.block);
      return same ? { ...element, block: before } : element;
    });
  }
}

/** True if two plain values are equal. */
function sameData(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => sameData(item, right[at]));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => sameData(Reflect.get(left, key), Reflect.get(right, key)));
}
