/** What stands wherever a secret would be printed. */
export const MASK = '***';

/**
 * A value that is never printed: logs, JSON, templates and `util.inspect` all show `***`.
 * Only `reveal` gives the text, at the one place that sends or compares it.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}
