import type { PlacedBlock } from './blocks.ts';
import { blockTokens, normalLabel, type References } from './grammar.ts';
import { type Element, parseElements } from './parse.ts';

/** An element that no further text can change, but for definitions that come later. */
interface SettledElement {
  readonly from: number;
  readonly decided: number;
  /** Its block's place among the blocks. */
  readonly at: number;
  /** Kept only where a later definition could change it. */
  readonly source: string;
  /** Texts in brackets that a definition could turn into links. */
  readonly labels: readonly string[];
}

interface Dropped {
  readonly from: number;
  readonly blocks: readonly PlacedBlock[];
}

const bracketed = /\[((?:\\[\s\S]|[^[\]\\])+)\]/g;

function labelsIn(source: string): readonly string[] {
  return [...source.matchAll(bracketed)].map((match) => normalLabel(match[1] ?? ''));
}

/** The beginning of a growing text that is never parsed again for what follows it. */
export class Settled {
  readonly blocks: PlacedBlock[] = [];
  /** Its definitions, by normalised label. */
  references: References = {};
  readonly #elements: SettledElement[] = [];
  readonly #byLabel = new Map<string, Set<SettledElement>>();
  /** Labels whose definition changed since the elements that use them were read. */
  readonly #awaited = new Set<string>();

  /** @param source the text from the first element's line to the line after the last element */
  add(elements: readonly Element[], source: string): void {
    const [first] = elements;
    if (first === undefined) return;
    if (source.includes(']:')) blockTokens(source, this.references);
    for (const [index, { from, decided, block }] of elements.entries()) {
      const next = elements[index + 1];
      const own = source.slice(from - first.from, next && next.from - first.from);
      const labels = block !== undefined && own.includes('[') ? labelsIn(own) : [];
      this.#keep({ from, decided, at: this.blocks.length, source: labels.length > 0 ? own : '', labels });
      if (block !== undefined) this.blocks.push(block);
    }
  }

  #keep(element: SettledElement): void {
    this.#elements.push(element);
    for (const label of element.labels) {
      const users = this.#byLabel.get(label) ?? new Set();
      this.#byLabel.set(label, users.add(element));
    }
  }

  await(labels: readonly string[]): void {
    for (const label of labels) this.#awaited.add(label);
  }

  #affected(): Set<SettledElement> {
    return new Set([...this.#awaited].flatMap((label) => [...(this.#byLabel.get(label) ?? [])]));
  }

  /** Cost of `resolve`, in characters. */
  resolveWork(): number {
    return [...this.#affected()].reduce((sum, { source }) => sum + source.length, 0);
  }

  /** Reads the blocks again whose labels were defined otherwise meanwhile; returns what it cost, in characters. */
  resolve(references: References): number {
    const work = this.resolveWork();
    for (const { source, at, from } of this.#affected()) {
      const block = parseElements(source, Object.create(references)).find((element) => element.block)?.block;
      const before = this.blocks[at];
      if (block !== undefined && before !== undefined) {
        this.blocks[at] = { ...block, from, to: before.to };
      }
    }
    this.#awaited.clear();
    return work;
  }

  /**
   * Drops what text that is new from `at` on may change; returns that, and where the rest begins. Definitions reach
   * back, so with any of them everything is dropped.
   */
  keepBefore(at: number, open: { from: number; decided: number; references: References }): Dropped {
    if (at >= open.decided) return { from: open.from, blocks: [] };
    const defines = Object.keys(this.references).length > 0 || Object.keys(open.references).length > 0;
    let count = defines ? 0 : this.#elements.length;
    while (count > 0 && (this.#elements[count]?.decided ?? open.decided) > at) count--;
    const next = this.#elements[count];
    const from = count === 0 ? 0 : (next?.from ?? open.from);
    const blocks = next === undefined ? [] : this.blocks.splice(next.at);
    for (const dropped of this.#elements.splice(count)) {
      for (const label of dropped.labels) this.#byLabel.get(label)?.delete(dropped);
    }
    if (defines) this.references = {};
    return { from, blocks };
  }
}
