import type { PlacedBlock } from './blocks.ts';
import { blockTokens, normalLabel, type References } from './grammar.ts';
import { type Element, parseElements } from './parse.ts';

/** An element that further text cannot change, except by a link definition that follows later. */
interface SettledElement {
  readonly from: number;
  readonly decided: number;
  /** Index of the element's block in `blocks`. */
  readonly at: number;
  /** The element's source; stored only if a later link definition could change the element. */
  readonly source: string;
  /** Texts in brackets that a later link definition could turn into links. */
  readonly labels: readonly string[];
}

const bracketed = /\[((?:\\[\s\S]|[^[\]\\])+)\]/g;

function labelsIn(source: string): readonly string[] {
  return [...source.matchAll(bracketed)].map((match) => normalLabel(match[1] ?? ''));
}

/**
 * The beginning of a growing text. It is not parsed again, except for elements that a later link definition changes.
 */
export class Settled {
  readonly blocks: PlacedBlock[] = [];
  /** The link definitions in this part of the text, by normalized label. */
  references: References = {};
  readonly #elements: SettledElement[] = [];
  readonly #byLabel = new Map<string, Set<SettledElement>>();
  /** Labels whose link definition has changed since the elements that use them were parsed. */
  readonly #awaited = new Set<string>();

  /** @param source the text from the first element's line up to the line after the last element */
  add(elements: readonly Element[], source: string): void {
    const [first] = elements;
    if (first === undefined) return;
    if (source.includes(']:')) blockTokens(source, this.references);
    for (const [index, { from, decided, block }] of elements.entries()) {
      const next = elements[index + 1];
      const own = source.slice(from - first.from, next && next.from - first.from);
      const labels = block !== undefined && own.includes('[') ? labelsIn(own) : [];
      const element = { from, decided, at: this.blocks.length, source: labels.length > 0 ? own : '', labels };
      this.#elements.push(element);
      for (const label of labels)
        this.#byLabel.set(label, (this.#byLabel.get(label) ?? new Set()).add(element));
      if (block !== undefined) this.blocks.push(block);
    }
  }

  await(labels: readonly string[]): void {
    for (const label of labels) this.#awaited.add(label);
  }

  #affected(): Set<SettledElement> {
    return new Set([...this.#awaited].flatMap((label) => [...(this.#byLabel.get(label) ?? [])]));
  }

  /** Returns what `resolve` would cost, in characters to parse. */
  resolveWork(): number {
    return [...this.#affected()].reduce((sum, { source }) => sum + source.length, 0);
  }

  /**
   * Parses again each block that contains a label with a new link definition. Returns the cost, in characters parsed.
   */
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
   * Drops everything that a rewrite from the offset `at` on may change. Returns the dropped blocks and the offset at
   * which the open region begins. If the text contains a link definition, drops everything, because definitions also
   * affect earlier text.
   */
  keepBefore(at: number, open: { from: number; decided: number; references: References }) {
    if (at >= open.decided) return { from: open.from, blocks: [] as readonly PlacedBlock[] };
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
