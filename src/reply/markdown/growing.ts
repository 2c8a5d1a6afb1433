/**
 * Parses a Markdown text while it grows. For each addition, only the open region at the end is parsed again
 * (`open-region.ts`), because further text cannot change the settled region before it (`settled.ts`). In a long table
 * or list, parsing resumes at the last row or item (`resume.ts`).
 */

import type { PlacedBlock } from './blocks.ts';
import { lastLineStart } from './grammar.ts';
import { OpenRegion } from './open-region.ts';
import type { Element } from './parse.ts';
import { Settled } from './settled.ts';

/**
 * Maximum parsing work per received character, measured in characters read as inline text (0.14 µs each). A parse that
 * would exceed this maximum is postponed until more text has arrived. Until then, the new text is shown as plain text.
 */
const WORK_PER_CHAR = 8;
/**
 * Parsing work that is always allowed, in characters (about 20 ms), so that answers of usual length are never
 * postponed.
 */
const WORK_BASE_CHARS = 131_072;

/**
 * Returns how many elements further text cannot change. An element counts as soon as complete lines decide the kind of
 * the element after it. A link definition may take the next lines as its title, also from inside a quote or a list, even
 * lines that look like headings until the title ends. So an element that may begin or end with a definition counts only
 * together with a later block that is no heading.
 */
function countSettled(elements: readonly Element[], wholeLines: number, open: OpenRegion): number {
  let count = elements.length - 1;
  while (count > 0 && (elements[count]?.decided ?? 0) > wholeLines) count--;
  let whole = count;
  for (let at = count - 1; at >= 0; at--) {
    const mayGrow = mayGrowDefinition(elements[at], open);
    if (mayGrow) whole = at;
    else if (elements[at]?.block?.kind !== 'heading') break;
  }
  return Math.max(whole, 0);
}

function mayGrowDefinition(element: Element | undefined, { source, from }: OpenRegion): boolean {
  if (element?.block === undefined) return true;
  return (
    ['quote', 'list', 'heading'].includes(element.block.kind) &&
    source.slice(element.from - from, element.to - from).includes(']:')
  );
}

/** Returns the first offset at which two texts differ. */
function firstDifference(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at++) if (left.charCodeAt(at) !== right.charCodeAt(at)) return at;
  return end;
}

/** Returns the blocks, followed by the text that is not parsed yet, as plain text. */
function withWaiting(blocks: readonly PlacedBlock[], waiting: string, text: string): readonly PlacedBlock[] {
  if (waiting === '') return blocks;
  const last = blocks.at(-1);
  const to = text.length;
  const added = { kind: 'text', text: waiting } as const;
  if (last?.kind === 'paragraph') {
    return blocks.with(-1, { ...last, children: last.children.concat([added]), to });
  }
  // The line end before the waiting text is not in the block yet.
  if (last?.kind === 'code') return blocks.with(-1, { ...last, text: last.text + text.slice(last.to), to });
  return [...blocks, { kind: 'paragraph', children: [added], from: to - waiting.length, to }];
}

/** Parses a text while it grows. The total cost is linear in the length of the text. */
export class GrowingMarkdown {
  #text = '';
  /** Number of characters received. Rewritten characters count again. */
  #came = 0;
  #work = 0;
  /** Text that arrived since the last parse. */
  #waiting = '';
  readonly #settled = new Settled();
  readonly #open = new OpenRegion();

  /**
   * Replaces everything from the offset `at` on with `text`. `at` counts UTF-16 units and is at most the length so
   * far.
   */
  write(at: number, text: string): readonly PlacedBlock[] {
    if (at < this.#text.length) this.#rewrite(this.#text.slice(0, at) + text, at);
    else if (text !== '') this.#append(text);
    return this.#view();
  }

  /** Replaces the whole text. Only the text after the first difference from the previous text is handled as new. */
  update(text: string): readonly PlacedBlock[] {
    if (text.startsWith(this.#text)) return this.write(this.#text.length, text.slice(this.#text.length));
    const at = firstDifference(this.#text, text);
    return this.write(at, text.slice(at));
  }

  /** Returns the blocks of the complete text, exactly as `parse` returns them. */
  finish(): readonly PlacedBlock[] {
    if (this.#waiting !== '') this.#parse();
    this.#work += this.#settled.resolve(this.#open.references);
    return this.#view();
  }

  #view(): readonly PlacedBlock[] {
    const open = withWaiting(this.#open.blocks, this.#waiting, this.#text);
    return this.#settled.blocks.concat(open);
  }

  #append(addition: string): void {
    this.#text += addition;
    this.#came += addition.length;
    this.#open.source += addition;
    this.#waiting += addition;
    if (this.#affords(this.#open.structureWork())) this.#parse();
  }

  #affords(work: number): boolean {
    return this.#work + work <= WORK_BASE_CHARS + WORK_PER_CHAR * this.#came;
  }

  #parse(): void {
    this.#waiting = '';
    const parsed = this.#open.parse(this.#settled.references);
    this.#work += parsed.work;
    this.#settled.await(parsed.changedLabels);
    const wholeLines = this.#open.from + lastLineStart(this.#open.source);
    const count = countSettled(parsed.elements, wholeLines, this.#open);
    const settled = parsed.elements.slice(0, count);
    this.#settled.add(settled, this.#open.sourceOf(settled, parsed.elements[count]));
    this.#open.keep(parsed.elements.slice(count));
    if (this.#affords(this.#settled.resolveWork()))
      this.#work += this.#settled.resolve(this.#open.references);
  }

  /** Handles a rewrite: the text differs from the previous one from `at` on. */
  #rewrite(text: string, at: number): void {
    const { from, blocks } = this.#settled.keepBefore(at, this.#open);
    this.#text = text;
    this.#open.restart(from, text.slice(from), blocks);
    this.#came += text.length - from;
    this.#parse();
  }
}
