/**
 * Numbers the sources of an answer. References to known sources are numbered in the order in which they appear. Printed
 * text cannot change, so a reference that is printed before its source is known keeps its number, and the source is
 * listed under that number.
 */

import { marksOf, type Source } from '../../core/reply.ts';
import { numberSources } from '../../kit/ladder.ts';

export interface Listed {
  /**
   * Numbers that the printed text uses for the source, in order. If the text does not refer to the source, the source
   * gets a number that is not used yet.
   */
  readonly numbers: readonly number[];
  readonly source: Source;
}

const documentOf = ({ document, key }: Source): string =>
  document === undefined ? `key ${key}` : `document ${document}`;

export class Numbering {
  #known: readonly Source[] = [];
  /** Maps each number in the agent's text to the number that was printed for it. */
  readonly #printed = new Map<number, number>();
  readonly #ofDocument = new Map<string, number>();

  know(sources: readonly Source[]): void {
    this.#known = sources;
  }

  /** Returns the number to print for a number in the agent's text. */
  print(mark: number): number {
    const printed = this.#printed.get(mark) ?? this.#numberOf(mark);
    this.#printed.set(mark, printed);
    return printed;
  }

  #numberOf(mark: number): number {
    const source = this.#known.find((known) => marksOf(known).includes(mark));
    if (source === undefined) return mark;
    const document = documentOf(source);
    const number = this.#ofDocument.get(document) ?? firstFree(new Set(this.#printed.values()));
    this.#ofDocument.set(document, number);
    return number;
  }

  list(text: string, sources: readonly Source[]): readonly Listed[] {
    const used = new Set(this.#printed.values());
    return numberSources(text, sources)
      .map(({ marks, source }): Listed => {
        const printed = marks.flatMap((mark) => this.#printed.get(mark) ?? []);
        const numbers = printed.length > 0 ? [...new Set(printed)] : [firstFree(used)];
        for (const number of numbers) used.add(number);
        return { numbers: numbers.toSorted((one, other) => one - other), source };
      })
      .toSorted((one, other) => (one.numbers[0] ?? 0) - (other.numbers[0] ?? 0));
  }
}

function firstFree(used: ReadonlySet<number>): number {
  let number = 1;
  while (used.has(number)) number += 1;
  return number;
}
