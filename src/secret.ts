/** Text that is printed instead of a secret. */
export const MASK = '***';

/**
 * A secret value: logs, JSON, templates and `util.inspect` show `***`. Only `reveal` returns the text. Call `reveal`
 * each time the text is sent or compared, and never store its result: a secret that is read from a file changes with
 * the file.
 */
export class Secret {
  readonly #read: () => string;

  /** @param text the secret, or a function that reads its current value */
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
