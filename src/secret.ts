/** Text that is printed instead of a secret. */
export const MASK = '***';

/**
 * A value that is never printed: logs, JSON, templates and `util.inspect` all show `***`.
 * Only `reveal` gives the text, at the one place that sends or compares it; call it each time, because a secret
 * that is read from a file changes when the file does.
 */
export class Secret {
  readonly #read: () => string;

  /** @param text the secret, or how to read its present value */
  constructor(text: string | (() => string)) {
    this.#read = typeof text === 'string' ? () => text : text;
  }

  reveal(): string {
    return this.#read();
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
