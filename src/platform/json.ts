/**
 * Reads and writes JSON without changing large integers: ids have 19 digits, but a JavaScript number is exact only up
 * to 15 digits (platform contract GEN-9).
 */

/**
 * Finds 16 digits without a quotation mark before them. They may belong to an integer that is too large for an exact
 * JavaScript number. Text without a match is parsed by the plain parser, which is several times faster. A match inside
 * a string only costs time.
 */
const LONG_RUN = /(?:^|[^"\d])\d{16}/;

/**
 * Parses JSON. Integers that are too large for an exact number become strings of their digits. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  return LONG_RUN.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

/** Returns the parsed value, or `undefined` if the text is not JSON. */
export function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

/**
 * Returns a value that JSON writes as an integer with exactly these decimal digits and without quotation marks
 * (platform contract GEN-9).
 */
export function bareInteger(digits: string): unknown {
  if (!/^-?\d{1,19}$/.test(digits)) throw new SyntaxError('An integer id contains decimal digits only.');
  return rawJson(BigInt(digits).toString());
}

function rawJson(text: string): unknown {
  const raw: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof raw !== 'function') throw new TypeError('JSON.rawJSON is missing: Node 24 is required.');
  return Reflect.apply(raw, JSON, [text]);
}
